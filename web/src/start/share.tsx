// A link with bet, change and seed; a video and a GIF; and a frame for another page.
import { useState } from "preact/hooks";
import { read_address, write_address } from "../address";
import { at_home, home_note, link_note } from "../play/share";
import { save, save_page } from "../save";
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
        {at_home && (
          <button
            type="button"
            onClick={() => {
              save_page(hash_with({}), `${name}.html`);
              say("The page is saved as one file. Send it: it opens with this scene, seed, bet and change.");
            }}
          >
            Save this page (1 file)
          </button>
        )}
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
        {said || restores}
      </p>
    </div>
  );
}

const restores = at_home
  ? `${link_note} Both restore scene, seed, bet and change.`
  : "The link restores scene, seed, bet and change.";

function hash_with(more: { [word: string]: string }): string {
  const address = read_address();
  address.view = "start";
  address.words.delete("embed");
  for (const [word, value] of Object.entries(more)) address.words.set(word, value);
  return write_address(address);
}
const link_with = (more: { [word: string]: string }) => location.href.split(/[?#]/)[0] + hash_with(more);
