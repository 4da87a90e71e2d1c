// What is predicted or counted before training: the words that indicate each label, labels in doubt, and how it was computed.
import type { Training } from "../engine/training";
import type { Effects } from "./effects";
import { Evidence } from "./evidence";
import { Labels, percent } from "./labels";
import type { Forecast } from "./prediction";
import { indicates, named_of } from "./trust";

// What a verdict means for who has never read of bags and outputs.
const meanings = {
  early: { what: "single words indicate the label", so: "Attention can learn them from the start." },
  slow: { what: "single words indicate the label weakly", so: "Attention learns them later." },
  hard: { what: "no single word indicates the label", so: "Attention has nothing to learn from at the start." },
  unsure: { what: "", so: "The words below indicate a label. Training shows to which of them this model attends." },
};
// A word alone gives the label, and all words together add little to the length of a text.
const leaked = {
  what: "a word gives the label",
  so: "Beside the length of a text, the words add little: the length may give the label, too.",
};
// Why attention is not predicted, as of texts.
const reasons: { [reason: string]: string } = {
  "too few examples": "too few texts",
  "parts of the examples differ": "parts of the texts give different forecasts",
};
const none = "No word indicates a label beyond chance. The words below are the likeliest, and all of them are weak.";
// For attention, which starts uniform.
const learns = {
  early: "So the model can learn these words while attention is still uniform.",
  slow: "So the model learns these words slowly while attention is uniform.",
  hard: "So single words teach the model almost nothing while attention is uniform.",
  unsure: "This is too uncertain for a forecast.",
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
  const { verdict, says, attention_predicted, examples, copies, labels, leak } = props.told.prediction,
    trained = props.at > 0;
  const [, reason = ""] = says.split(": "), // "uncertain: too few examples"
    why = reasons[reason] ?? reason,
    means =
      leak && (verdict === "slow" || verdict === "hard") ? leaked : meanings[attention_predicted ? verdict : "unsure"];
  return (
    <section class="forecast">
      <h2>
        {trained
          ? "Words that indicate each label"
          : attention_predicted
            ? `Predicted, before any training: ${means.what}`
            : `Counted: ${indicates(props.told) ? "single words indicate the labels. Attention is" : "attention is"} not predicted${why && ` (${why})`}`}
      </h2>
      <p>
        {indicates(props.told) ? !trained && means.so : none} From {examples} distinct texts
        {copies > 0 && ` (${copies} ${copies === 1 ? "copy is" : "copies are"} not counted)`}.
      </p>
      <Evidence {...props} />
      <Labels {...labels} leak={leak !== ""} />
      <HowComputed {...props.told.prediction} few={reason === "too few examples"} />
    </section>
  );
}

const times = (count: number) => (count === 1 ? "once" : `${count} times`);

function HowComputed({ verdict, signal, error, repeated, outputs, few }: Forecast["prediction"] & { few: boolean }) {
  const draws = Object.entries(repeated).filter(([, count]) => count > 0);
  const unsettled = outputs
    .flatMap(named_of)
    .find(one => one.evidence !== "strong" && !one.alone && one.settled_by !== null);
  return (
    <details>
      <summary>How this was computed</summary>
      <p class="soft">
        {few ? (
          "The forecast of attention counts all words together. That needs more texts for each word than there are here. The table counts each word alone."
        ) : (
          <>
            Counted together, the words explain {percent(signal)} of how labels differ between texts (100&nbsp;%: they
            give every label). The standard error is {percent(error)}. The length of a text is accounted for.{" "}
            {learns[verdict]}
          </>
        )}
      </p>
      {!few && draws.length > 0 && (
        <p class="soft">
          The prediction was repeated on {draws.reduce((sum, [, count]) => sum + count, 0)} random draws of four fifths
          of the texts. There, the words indicated the label{" "}
          {draws.map(([name, count]) => `${drawn[name as keyof typeof drawn]} ${times(count)}`).join(", ")}.
        </p>
      )}
      <p class="soft">
        The probability of a word depends on its two counts, and on all other words: if many words in your texts
        indicate labels, one more is likelier to do so. So a probability can change when another word is removed. Words
        in few texts have smaller probabilities. From 0.6 on, the evidence is called possible, and from 0.8 on probable.
        It is called strong if at most 1 of 1000 random data sets would show the same counts.
      </p>
      {unsettled && (
        <p class="soft">
          Example: with about {rounded_up(unsettled.settled_by!)} distinct texts, the evidence for “{unsettled.word}”
          would be strong, if its counts grow in proportion.
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
