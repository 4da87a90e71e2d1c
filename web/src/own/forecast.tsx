// What is predicted or counted before training: the words that indicate each label, labels in doubt, and how it was computed.
import type { Training } from "../engine/training";
import { sentence } from "../trouble";
import type { Effects } from "./effects";
import { Evidence } from "./evidence";
import { Labels } from "./labels";
import type { Forecast } from "./prediction";
import { named_of } from "./trust";

// What a verdict means for who has never read of bags and outputs.
const meanings = {
  early: { what: "single words indicate the label", so: "Attention can learn them from the start." },
  slow: { what: "single words indicate the label weakly", so: "Attention learns them later." },
  hard: { what: "no single word indicates the label", so: "Attention has nothing to learn from at the start." },
  unsure: { what: "", so: "The words below indicate a label. Training shows to which of them this model attends." },
};
// The same in a count of draws.
const drawn = { early: "clearly", slow: "weakly", hard: "not at all", unsure: "uncertainly" };

interface Props {
  training: Training;
  at: number;
  told: Forecast;
  effects: Effects | undefined;
}

export function Counted(props: Props) {
  const { verdict, says, attention_predicted, examples, copies, labels } = props.told.prediction;
  const why = says.split(": ")[1]; // "uncertain: too few examples"
  return (
    <section class="forecast">
      <h2>
        {attention_predicted
          ? `Predicted, before any training: ${meanings[verdict].what}`
          : `Counted: attention is not predicted${why ? ` (${why})` : ""}`}
      </h2>
      <p>
        {meanings[verdict].so} From {examples} distinct texts
        {copies > 0 && ` (${copies} ${copies === 1 ? "copy is" : "copies are"} not counted)`}.
      </p>
      <Evidence {...props} />
      <Labels {...labels} />
      <HowComputed {...props.told.prediction} />
    </section>
  );
}

const times = (count: number) => (count === 1 ? "once" : `${count} times`);

function HowComputed({ because, repeated, outputs }: Forecast["prediction"]) {
  const draws = Object.entries(repeated).filter(([, count]) => count > 0);
  const unsettled = outputs
    .flatMap(named_of)
    .find(one => one.evidence !== "strong" && !one.alone && one.settled_by !== null);
  return (
    <details>
      <summary>How this was computed</summary>
      <p class="soft">{sentence(because)}</p>
      {draws.length > 0 && (
        <p class="soft">
          The prediction was repeated on {draws.reduce((sum, [, count]) => sum + count, 0)} random draws of four fifths
          of the texts. There, single words indicated the label{" "}
          {draws.map(([name, count]) => `${drawn[name as keyof typeof drawn]} ${times(count)}`).join(", ")}.
        </p>
      )}
      <p class="soft">
        The probability of a word is computed from its two counts and from all other words. If many words go with a
        label, the same counts are more probable. It is smaller for words in few texts. From 0.8 on, the evidence is
        called probable, and from 0.6 on possible. It is called strong if chance makes such counts in at most one of a
        thousand data sets.
      </p>
      {unsettled && (
        <p class="soft">
          If its share stays the same, “{unsettled.word}” has strong evidence from about{" "}
          {rounded_up(unsettled.settled_by!)} distinct texts on.
        </p>
      )}
    </details>
  );
}

// To two digits: more are not known.
function rounded_up(count: number): number {
  const ten = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return ten * Math.ceil(count / ten);
}
