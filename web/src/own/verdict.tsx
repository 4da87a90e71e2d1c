// The verdict on texts of one's own, in large lines: whether words give the labels away, how the model recognises them,
// and whether to trust attention.
import { useState } from "preact/hooks";
import type { Training } from "../engine/training";
import type { Effects } from "./effects";
import { percent } from "./labels";
import type { Forecast } from "./prediction";
import { own_texts } from "./texts";
import { leaks_found, measured, model_name, trust_of } from "./trust";

interface Props {
  training: Training;
  at: number;
  told: Forecast;
  effects: Effects | undefined;
}

export function Verdict({ training, at, told, effects }: Props) {
  const { leak, words } = leak_in(told.prediction);
  const found = effects ? leaks_found(told, effects) : [];
  const trust = trust_of(training, at, told, effects);
  return (
    <>
      {leak && (
        <p class="trust" role="status">
          {leak}
        </p>
      )}
      <Removing words={words} />
      {found.length > 0 && (
        <div class="found">
          <p>How {model_name(training)} recognises each label:</p>
          <ul>
            {found.map(one => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </div>
      )}
      <p class={leak ? "trust second" : "trust"} role="status">
        {trust}
      </p>
      {effects && trust.startsWith("Do not trust") && (
        <p>
          {indicates(told)
            ? "Use the words in the table below as reasons instead. They are counted in your texts."
            : "No word in these texts indicates a label beyond chance."}
        </p>
      )}
      <Right training={training} at={at} told={told} effects={effects} />
    </>
  );
}

// Whether a word goes with a label by more than chance.
const indicates = ({ prediction }: Forecast) =>
  prediction.outputs.some(({ candidates }) =>
    candidates.some(({ evidence }) => evidence === "strong" || evidence === "probable"),
  );

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

// How many held-out texts the model labels correctly, and how many one label for all texts would.
function Right({ training, at, told, effects }: Props) {
  const found = measured(training, at, told);
  const share = found && training.value_at("accuracy", found.step);
  if (typeof share !== "number") return null;
  const of = training.labels.slice(0, training.examples).map((_, text) => training.class_of(text));
  // The share is of all held-out texts, and the answers are to those that are shown.
  const correct = effects?.answers.filter(({ label }, text) => label === of[text]).length;
  const counts = new Map<string, number>();
  for (const label of of) counts.set(label, (counts.get(label) ?? 0) + 1);
  const most = Math.max(...counts.values()),
    [frequent, ...others] = [...counts.keys()].filter(label => counts.get(label) === most);
  return (
    <p class="right">
      It labels{" "}
      {correct === undefined
        ? `${percent(share)} of the held-out texts correctly`
        : `${correct} of ${of.length} held-out texts correctly (${percent(correct / of.length)})`}
      . Always answering{" "}
      {others.length === 0 ? (
        <>
          <bdi>{frequent}</bdi>, the most frequent label,
        </>
      ) : (
        "the same label"
      )}{" "}
      is correct for {most} ({percent(most / of.length)}).
    </p>
  );
}
