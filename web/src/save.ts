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
