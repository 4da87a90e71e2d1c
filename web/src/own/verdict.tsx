// The answer on texts of one's own, above all else: whether words give the labels away, which words the model uses, whether
// to trust attention, whether the forecast was right, and how good the answers are.
import { useState } from "preact/hooks";
import type { Training } from "../engine/training";
import { answered, predicted, type Said, so_far } from "./answer";
import type { Effects } from "./effects";
import type { Forecast } from "./prediction";
import { own_texts } from "./texts";

interface Props {
  training: Training;
  at: number;
  told: Forecast;
  effects: Effects | undefined;
}

export function Verdict({ training, at, told, effects }: Props) {
  const { leak, words } = leak_in(told.prediction);
  const all = effects
    ? answered(training, at, told, effects)
    : at > 0
      ? [so_far(training, at, told)]
      : predicted(training, told);
  return (
    <>
      {leak && (
        <p class="trust" role="status">
          {leak.replace(/'(\S+)'(?=[\s,.]|$)/g, "“$1”")}
        </p>
      )}
      <Removing words={words} />
      <section class="answer" aria-label="Answer">
        <h2>{effects ? "Answer after training" : at > 0 ? "During training" : "Forecast before training"}</h2>
        <dl aria-live="polite">
          {all.map(one => (
            <One key={one.asks} {...one} />
          ))}
        </dl>
      </section>
    </>
  );
}

function One({ asks, short, lines, each = [] }: Said) {
  return (
    <div>
      <dt>{asks}</dt>
      <dd>
        <b>{short}</b> {lines.join(" ")}
        {each.length > 0 && (
          <ul class="found">
            {each.map(line => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
      </dd>
    </div>
  );
}

// A warning of words that give the labels, or of one that may and is in half of its texts; and these words.
function leak_in({ leak, outputs, examples }: Forecast["prediction"]): { leak: string; words: string[] } {
  const words = outputs.flatMap(({ candidates }) => candidates.filter(one => one.gives_label).map(({ word }) => word));
  if (leak) return { leak, words };
  for (const { output, per_example, candidates } of outputs)
    for (const { word, here, elsewhere, alone } of candidates)
      if (alone && per_example * examples <= 2 * here)
        return {
          leak: `“${word}” may give the label away: ${here} of the ${here + elsewhere} texts with it are ${output}. Remove it and check again.`,
          words: [word],
        };
  return { leak: "", words: [] };
}

// Checks the texts again without words, and with them.
function Removing({ words }: { words: string[] }) {
  const [problem, set_problem] = useState("");
  const removed = own_texts.data?.without ?? [];
  const change = (to: string[]) =>
    own_texts.remove(to).then(
      () => set_problem(""),
      (error: Error) => set_problem(error.message),
    );
  if (words.length === 0 && removed.length === 0) return null;
  return (
    <>
      {removed.length > 0 && (
        <p>
          Checked without {removed.map(word => `“${word}”`).join(", ")}.{" "}
          <button type="button" onClick={() => void change([])}>
            Put {removed.length === 1 ? "it" : "them"} back
          </button>
        </p>
      )}
      {words.length > 0 && (
        <p>
          <button type="button" onClick={() => void change([...removed, ...words])}>
            Remove {words.length === 1 ? "this word" : "these words"} and check again
          </button>
        </p>
      )}
      {problem && <p class="problem">{problem}</p>}
    </>
  );
}
