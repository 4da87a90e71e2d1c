// A sentence of the person's own: read by the trained model, and before training by what was predicted or counted.
import { useId, useMemo } from "preact/hooks";
import type { Training } from "../engine/training";
import { Answered } from "./answered";
import type { Forecast } from "./prediction";
import { Shaded } from "./shaded";
import { named_of } from "./trust";
import { words_of } from "./words";

interface Props {
  told: Forecast;
  training: Training;
  text: string;
  write: (text: string) => void;
}

export function NewText({ told, training, text, write }: Props) {
  const id = useId();
  const predicted = told.prediction.attention_predicted;
  const question =
    training.step > 0
      ? "what does the trained model attend to and answer?"
      : predicted
        ? "where is attention predicted to go?"
        : "which of its words indicate a label?";
  return (
    <section class="new-text">
      <h2>Try a sentence</h2>
      <label for={id}>Your own sentence: {question}</label>
      <input
        id={id}
        type="text"
        class="sentence"
        autocomplete="off"
        value={text}
        onInput={event => write(event.currentTarget.value)}
        placeholder="Write here"
      />
      {training.step > 0 ? (
        <Answered training={training} text={text} />
      ) : predicted ? (
        <Foreseen told={told} text={text} />
      ) : (
        <TellingWords told={told} text={text} />
      )}
    </section>
  );
}

// The predicted attention: the softmax of the words' logits.
function Foreseen({ told, text }: { told: Forecast; text: string }) {
  const known = useMemo(() => new Map(Object.entries(told.logits)), [told]);
  const words = words_of(text);
  const powers = words.map(word => Math.exp(known.get(word) ?? 0));
  const all = powers.reduce((sum, one) => sum + one, 0);
  const weights = powers.map(power => power / all);
  const unknown = [...new Set(words.filter(word => !known.has(word)))];
  return (
    <div aria-live="polite">
      {words.length > 0 && <Shaded words={words} weights={weights} />}
      {unknown.length > 0 && (
        <p class="soft">
          {unknown.length === 1 ? "No text has the word " : "No text has the words "}
          {unknown.slice(0, 5).join(", ")}
          {unknown.length > 5 && " …"}. Attention on {unknown.length === 1 ? "it" : "them"} is predicted as uniform.
        </p>
      )}
      {words.length > 1 && Math.max(...weights) - Math.min(...weights) < 1e-9 && (
        <p class="soft">No word is predicted to have more attention than the others.</p>
      )}
    </div>
  );
}

// If attention is not predicted: the words that go with a label.
function TellingWords({ told, text }: { told: Forecast; text: string }) {
  const words = new Set(words_of(text));
  const found = told.prediction.outputs.flatMap(output =>
    named_of(output)
      .filter(({ word }) => words.has(word))
      .map(({ word, evidence }) => `${word} (${output.output}, ${evidence})`),
  );
  return (
    <p aria-live="polite" class="soft">
      {words.size > 0 &&
        (found.length > 0 ? `Words that indicate a label: ${found.join(", ")}. ` : "No word indicates a label. ")}
      Attention is not predicted.
    </p>
  );
}
