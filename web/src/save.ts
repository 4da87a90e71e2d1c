// Files for the person at the page.
export function save(blob: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function save_text(text: string, name: string, type: string) {
  save(new Blob([text], { type: `${type};charset=utf-8` }), name);
}

// This page as one file that anybody can open, at the address `hash`. It has no store: what a server or a report knows of
// runs is not in it.
export function save_page(hash: string, name: string) {
  const page = document.documentElement.cloneNode(true) as HTMLElement;
  page.removeAttribute("class");
  page.querySelector("#page")!.replaceChildren();
  page.querySelector("#story")?.remove();
  page.querySelector<HTMLMetaElement>('meta[name="fovea-source"]')!.content = "site";
  const open = document.createElement("script");
  open.textContent = `location.hash ||= ${JSON.stringify(hash).replaceAll("<", "\\u003c")}`;
  page.querySelector("head")!.prepend(open);
  save_text(`<!DOCTYPE html>\n${page.outerHTML}`, name, "text/html");
}
