// A link with bet, change and seed; a video and a GIF; and a frame for another page.
import { useState } from "preact/hooks";
import { read_address, write_address } from "../address";
import { home_note } from "../play/share";
import { save } from "../save";
import { type Film, film_of, gif_of } from "./film";

export function ShareStart({ film, name }: { film: () => Film | undefined; name: string }) {
  const [said, say] = useState("");
  const [busy, set_busy] = useState(false);
  const copy = async (text: string, what: string) => {
    try {
      await navigator.clipboard.writeText(text);
      say(`The ${what} is copied.${home_note}`);
    } catch {
      say(`This browser lets no page copy. The ${what} is: ${text}`);
    }
  };
  const make = async (what: string, takes: string, of: (film: Film) => Promise<Blob>) => {
    const asked = film();
    if (!asked) return say("Train some steps first.");
    set_busy(true);
    say(`The ${what} ${takes}.`);
    try {
      const made = await of(asked);
      save(made, `${name}-to-step-${asked.looks.at(-1)!.step}.${made.type.split("/")[1]}`);
      say(`The ${what} is saved.`);
    } catch (error) {
      say((error as Error).message);
    }
    set_busy(false);
  };
  return (
    <div class="share-start">
      <div class="presses">
        <button type="button" onClick={() => copy(link_with({}), "link")}>
          Copy the link
        </button>
        <button type="button" disabled={busy} onClick={() => make("video", "takes six seconds", film_of)}>
          Save a video (6 s)
        </button>
        <button type="button" disabled={busy} onClick={() => make("GIF", "is being made", gif_of)}>
          Save a GIF (6 s)
        </button>
        <button
          type="button"
          onClick={() =>
            copy(
              `<iframe src="${link_with({ embed: "1" }).replaceAll("&", "&amp;")}" width="900" height="620" title="Attention being learned"></iframe>`,
              "embed code",
            )
          }
        >
          Copy embed code
        </button>
      </div>
      <p class="soft" role="status">
        {said || "The link restores scene, seed, bet and change."}
      </p>
    </div>
  );
}

function link_with(more: { [word: string]: string }): string {
  const address = read_address();
  address.view = "start";
  address.words.delete("embed");
  for (const [word, value] of Object.entries(more)) address.words.set(word, value);
  return location.href.split(/[?#]/)[0] + write_address(address);
}
