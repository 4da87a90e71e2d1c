// The answer on texts of one's own, above all else: whether words give the labels away, which words the model uses, whether
// to trust attention, whether the forecast was right, and how good the answers are.
import { useState } from "preact/hooks";
import type { Training } from "../engine/training";
import { answered, type Said, so_far, trust_in } from "./answer";
import { predicted } from "./before";
import type { Effects } from "./effects";
import type { Forecast } from "./prediction";
import { FurtherTrainings } from "./seeds";
import { own_texts } from "./texts";
import { named_of } from "./trust";

interface Props {
  training: Training;
  at: number;
  told: Forecast;
  effects: Effects | undefined;
  unmeasured: string; // why there are no effects
}

export function Verdict({ training, at, told, effects, unmeasured }: Props) {
  const { leak } = told.prediction,
    words = leaks_in(told.prediction),
    removed = own_texts.data?.without ?? [];
  const [problem, set_problem] = useState("");
  const check_without = (to: string[]) =>
    void own_texts.remove(to).then(
      () => set_problem(""),
      (error: Error) => set_problem(error.message),
    );
  const all = effects
    ? answered(training, at, told, effects)
    : at > 0
      ? [so_far(training, at, told, unmeasured)]
      : predicted(training, told);
  return (
    <>
      {leak && (
        <p class="trust" role="status">
          {leak.replace(/'(\S+)'(?=[\s,.]|$)/g, "“$1”")}
        </p>
      )}
      <Removing words={words} removed={removed} check_without={check_without} />
      {problem && <p class="problem">{problem}</p>}
      <section class="answer" aria-label="Answer">
        <h2>{effects ? "Answer after training" : at > 0 ? "During training" : "Forecast before training"}</h2>
        <dl aria-live="polite">
          {all.map(one => (
            <One key={one.asks} {...one} />
          ))}
        </dl>
        {effects && (
          <FurtherTrainings
            training={training}
            verdict={trust_in(training, at, told, effects).verdict}
            leak={leak !== ""}
          />
        )}
      </section>
      <OfOneLabel prediction={told.prediction} remove={word => check_without([...removed, word])} />
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

// The words that give the labels.
const leaks_in = ({ outputs }: Forecast["prediction"]) =>
  outputs.flatMap(({ candidates }) => candidates.filter(one => one.gives_label).map(({ word }) => word));

const most_of_label = 4; // words that are named

// Words that occur in one label only and do not give it alone: topics, or leaks. Each is removed by a click.
function OfOneLabel({ prediction, remove }: { prediction: Forecast["prediction"]; remove: (word: string) => void }) {
  const labels = prediction.outputs
    .map(output => ({
      label: output.output,
      words: named_of(output).filter(one => one.elsewhere === 0 && !one.gives_label && one.evidence !== "possible"),
    }))
    .filter(({ words }) => words.length > 0);
  const count = labels.reduce((sum, { words }) => sum + words.length, 0);
  if (count === 0) return null;
  return (
    <section class="of-one-label">
      <p>
        <b>{count === 1 ? "One word occurs" : `${count} words occur`} in one label only: topic or leak?</b>{" "}
        {labels.map(({ label, words }) => (
          <>
            <bdi>{label}</bdi>:{" "}
            {words.slice(0, most_of_label).map(({ word, here }, i) => (
              <>
                {i > 0 && ", "}
                <button type="button" class="quiet" title="Remove it and check again" onClick={() => remove(word)}>
                  “<bdi>{word}</bdi>”
                </button>{" "}
                ({here} texts)
              </>
            ))}
            {words.length > most_of_label && `, and ${words.length - most_of_label} more`}.{" "}
          </>
        ))}
      </p>
      <p class="soft">
        A topic word belongs to the meaning of the label: keep it. A leak comes from how the texts were collected, such
        as a signature or a ticket number: select it to remove it. Stop if only topic words remain.
      </p>
    </section>
  );
}

interface RemovingProps {
  words: string[]; // that give the labels
  removed: string[];
  check_without: (words: string[]) => void;
}

// Checks the texts again without words, and with them.
function Removing({ words, removed, check_without }: RemovingProps) {
  return (
    <>
      {removed.length > 0 && (
        <p>
          Checked without {removed.map(word => `“${word}”`).join(", ")}.{" "}
          <button type="button" onClick={() => check_without([])}>
            Put {removed.length === 1 ? "it" : "them"} back
          </button>
        </p>
      )}
      {words.length > 0 && (
        <p>
          <button type="button" onClick={() => check_without([...removed, ...words])}>
            Remove {words.length === 1 ? "this word" : "these words"} and check again
          </button>
        </p>
      )}
    </>
  );
}
