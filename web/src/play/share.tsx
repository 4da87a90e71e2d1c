// Ways out of the playground: a link, a spec for the program, weights, a PyTorch script.
import { useState } from "preact/hooks";
import type { Training } from "../engine/training";
import { save, save_page, save_text } from "../save";
import type { Source } from "../source";
import { has_script, pytorch_script } from "./pytorch";

interface Props {
  training: Training;
  at: number;
  name: string;
  note: string;
  still: boolean; // the training is not what the address says
  kind: Source["kind"];
  link: (more: { [word: string]: string }) => string;
}

export const at_home = location.protocol === "file:" || /^(localhost|127\.|\[::1\])/.test(location.host);

// What is said of a link, if it leads to this computer: before it is copied, and after.
export const link_note = at_home
  ? "A link leads to this computer, and others cannot open it. For others, save this page as one file and send it."
  : "";
export const home_note = link_note.replace(/^A link/, " It");

// What a link can leave out, so that a class sees only what a lesson wants.
const parts = [
  { name: "views", says: "other views" },
  { name: "try", says: "examples" },
  { name: "settings", says: "settings" },
  { name: "hold", says: "holding attention" },
  { name: "save", says: "saving" },
  { name: "ahead", says: "curves after the linked step" },
];

// Where a frame can be shown, by where the page is from; on a web host that is the host's to say.
const frame_wants: { [kind in Source["kind"]]?: string } = {
  served:
    "A frame in a slide stays empty unless this server was started with the slide's address: fovea serve --allow-frame https://slides.example (use your address).",
  report: "A frame in a slide shows this file. It works on this computer, also in a page or slide that is a file.",
};

export function Share({ training, at, name, note, still, kind, link }: Props) {
  const [said, say] = useState("");
  const [busy, set_busy] = useState(false);
  const [without, set_without] = useState<string[]>([]);
  const step = Math.min(at, training.step); // a training that ended early is not where another beside it is
  const copy = async () => {
    const address = link({ hide: without.join() });
    try {
      await navigator.clipboard.writeText(address);
      say(`The link to step ${at} is copied.${home_note}`);
    } catch {
      say("This browser lets no page copy; take the link from the address bar.");
    }
  };
  const copy_frame = async () => {
    const frame = `<iframe src="${link({ embed: "1", hide: without.join() }).replaceAll("&", "&amp;")}" width="900" height="560" title="Attention being learned"></iframe>`;
    try {
      await navigator.clipboard.writeText(frame);
      say("The frame is copied: paste it into the HTML of a page or a slide.");
    } catch {
      say(`This browser lets no page copy. The frame is: ${frame}`);
    }
  };
  const make = async (work: () => Promise<string>) => {
    set_busy(true);
    try {
      say(await work());
    } catch (error) {
      say((error as Error).message);
    }
    set_busy(false);
  };
  const weights = async () => {
    const { file, attached } = await training.weights_at(step);
    save(
      new Blob([new Uint8Array(attached, file.at, file.bytes)], { type: "application/octet-stream" }),
      `${name}-step-${step}.safetensors`,
    );
    return `The weights after ${step} steps are saved.`;
  };
  const script = async () => {
    save_text(await pytorch_script(training, step), `${name}.py`, "text/x-python");
    return `The script trains the same model on the same batches for ${step} steps and compares the losses.`;
  };
  return (
    <section class="share">
      <h2>Save and share</h2>
      <p class="presets">
        {at_home && (
          <button
            type="button"
            disabled={still}
            onClick={() => {
              save_page(new URL(link({ hide: without.join() })).hash, `${name}.html`);
              say(`The page is saved as one file. Send it: it opens at step ${at}.`);
            }}
          >
            Save this page (1 file)
          </button>
        )}
        <button type="button" disabled={still} onClick={copy}>
          Copy the link
        </button>
        <button type="button" disabled={still} onClick={copy_frame}>
          Frame for a slide
        </button>
        <button
          type="button"
          disabled={still}
          onClick={() => save_text(training.spec, `${name}.toml`, "application/toml")}
        >
          Spec for fovea run
        </button>
        <button type="button" disabled={busy || still} onClick={() => make(weights)}>
          Weights (safetensors)
        </button>
        {has_script(training) && (
          <button
            type="button"
            disabled={busy || still || step === 0}
            title={step === 0 ? "The script compares losses with this training: train a step first." : undefined}
            onClick={() => make(script)}
          >
            PyTorch script
          </button>
        )}
      </p>
      <details>
        <summary>For a class or a slide</summary>
        <fieldset class="without">
          <legend>Leave these out of the page that the link opens:</legend>
          {parts.map(({ name, says }) => (
            <label class="line">
              <input
                type="checkbox"
                checked={without.includes(name)}
                onChange={event =>
                  set_without(
                    parts
                      .map(part => part.name)
                      .filter(one => (one === name ? event.currentTarget.checked : without.includes(one))),
                  )
                }
              />
              {says}
            </label>
          ))}
        </fieldset>
        {frame_wants[kind] && <p class="soft">{frame_wants[kind]}</p>}
      </details>
      <p class="soft" role="status">
        {said || link_note} {note}
      </p>
    </section>
  );
}
