// The held-out texts: each with its label, its predicted attention, and after training the model's answer and attention.
// Wrong answers come first.
import { useState } from "preact/hooks";
import type { Training } from "../engine/training";
import type { Effects } from "./effects";
import { present, texts_held_out } from "./places";
import type { Forecast } from "./prediction";
import { Shaded } from "./shaded";
import { name_of_text } from "./texts";

const first_shown = 4;

// As a person can type it.
const readable = (word: string) => (word === "<unknown>" ? "unknown" : word);

interface Props {
  training: Training;
  at: number;
  told: Forecast;
  effects: Effects | undefined;
  take: (text: string) => void; // to remove words from it
}

export function HeldOut({ training, at, told, effects, take }: Props) {
  const [all, show_all] = useState(false);
  const look = training.look_at(at);
  if (!look) return null;
  const trained = look.step > 0;
  if (!trained && !told.prediction.attention_predicted) return null;
  const [count, rows, positions] = look.shape,
    numbers = texts_held_out(training);
  const wrong = (text: number) => effects && effects.answers[text]!.label !== training.class_of(text);
  const texts = Array.from({ length: count }, (_, text) => text).sort((a, b) => Number(wrong(b)) - Number(wrong(a)));
  return (
    <section class="held-out">
      <h2>Held-out texts{!trained && ", with predicted attention"}</h2>
      <ol>
        {texts.slice(0, all ? count : first_shown).map(text => {
          const tokens = present(training.source[text]!);
          const words = tokens.map(token => training.word(token));
          const answer = effects?.answers[text];
          return (
            <li key={text} class={wrong(text) ? "wrong" : ""}>
              <p>
                {name_of_text(numbers[text]!)}, labelled{" "}
                <b>
                  <bdi>{training.class_of(text)}</bdi>
                </b>
                .{" "}
                {answer && (
                  <>
                    The model answers{" "}
                    <b>
                      <bdi>{answer.label}</bdi>
                    </b>{" "}
                    (probability {answer.chance.toFixed(2)}), {wrong(text) ? "✗ wrong" : "✓ correct"}.{" "}
                    <button type="button" class="quiet" onClick={() => take(words.map(readable).join(" "))}>
                      Remove words
                    </button>
                  </>
                )}
              </p>
              <Shaded
                words={words}
                weights={
                  trained
                    ? look.alpha.subarray(text * rows * positions, text * rows * positions + tokens.length)
                    : told.attention[text]!
                }
              />
            </li>
          );
        })}
      </ol>
      {count > first_shown && (
        <button type="button" onClick={() => show_all(!all)}>
          {all ? `Show the first ${first_shown}` : `Show all ${count}`}
        </button>
      )}
    </section>
  );
}
