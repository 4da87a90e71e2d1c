// Word by word, how what was learned of one's own texts compares with what was predicted.
import { useState } from "preact/hooks";
import { address_with } from "../address";
import type { Training } from "../engine/training";
import { Scrolled } from "../scrolled";
import { Explained } from "../term";
import { present, texts_held_out } from "./places";
import type { Forecast } from "./prediction";
import { Shaded } from "./shaded";
import { name_of_text } from "./texts";
import { by_word, labels_of_words, learned_words, mean_of, measured, predicted_words } from "./trust";
import { useForecast } from "./use_forecast";

const most_rows = 20;

export function Compared({ training, at, example }: { training: Training; at: number; example: number }) {
  const { told } = useForecast(training);
  return told ? <Comparison training={training} at={at} example={example} told={told} /> : null;
}

interface Row {
  word: string;
  count: number;
  predicted: number; // means over the places it stands at
  learned: number;
}

function Comparison({
  training,
  at,
  example,
  told,
}: {
  training: Training;
  at: number;
  example: number;
  told: Forecast;
}) {
  const [all, show_all] = useState(false);
  const predicted = told.attention,
    tells = told.prediction.attention_predicted;
  const look = training.look_at(at);
  if (!look) return null;
  const [count, rows, positions] = look.shape;
  const learned = (text: number) =>
    look.alpha.subarray(text * rows * positions, text * rows * positions + present(training.source[text]!).length);
  const goes_with = labels_of_words(told);
  const label = training.class_of(example);
  const words = (text: number) => present(training.source[text]!).map(token => training.word(token));
  const found = measured(training, at, told);
  const reads_in_context = training.setting("model", "name") !== by_word,
    two_classes = new Set(training.labels).size === 2;
  const now = learned_words(training, look),
    then = predicted_words(training, told);
  const means = [...now.values()].map(one => ({
    word: one.word,
    count: one.count,
    predicted: mean_of(then.get(one.word)!),
    learned: mean_of(one),
  }));
  const most_of = (row: Row) => (tells ? Math.max(row.predicted, row.learned) : row.learned);
  means.sort((a, b) => most_of(b) - most_of(a));
  return (
    <section class="compared">
      <h2>
        {tells ? "Predicted and learned" : "What was learned"}, word by word
        {training.title && `, with ${training.title}`}
      </h2>
      {!found ? (
        <p>Nothing is learned yet: press Play, and compare.</p>
      ) : (
        <p>
          {found.named > 0 &&
            `In ${found.same} of ${found.named} held-out text${found.named === 1 ? "" : "s"}, the word most attended to at step ${found.step} is the one predicted (by chance: ${found.by_chance.toFixed(1)}). `}
          {!tells && "Attention was not predicted. "}
          {tells &&
            found.named < count &&
            `In ${count - found.named === 1 ? "one text" : `${count - found.named} texts`} no word is predicted to stand out. `}
          {found.uniform && (
            <>
              <Explained
                text={`Attention is almost uniform (entropy ${found.entropy!.toFixed(2)} of 1), so it does not show which words the model uses.`}
              />
              {reads_in_context && two_classes && (
                <>
                  {" "}
                  This model reads each word together with the others, and need not attend.{" "}
                  <a href={address_with({ model: by_word, set: undefined, step: undefined })}>
                    A model with a weight and a logit for each word
                  </a>{" "}
                  shows better which words it uses.
                </>
              )}
            </>
          )}
        </p>
      )}
      {tells && (
        <>
          <h3>
            <TextOf training={training} example={example} label={label} />: predicted
          </h3>
          <Shaded words={words(example)} weights={predicted[example]!} />
        </>
      )}
      {found && (
        <>
          <h3>
            <TextOf training={training} example={example} label={label} />: learned at step {look.step}
          </h3>
          <Shaded words={words(example)} weights={learned(example)} />
          <Scrolled
            label={
              `Attention on each word, ${tells ? "predicted and learned" : "learned"}` +
              (training.title && `, with ${training.title}`)
            }
          >
            <table class="narrow">
              <thead>
                <tr>
                  <th scope="col">word</th>
                  <th scope="col">times</th>
                  {tells && <th scope="col">predicted</th>}
                  <th scope="col">learned</th>
                  <th scope="col">indicates</th>
                </tr>
              </thead>
              <tbody>
                {means.slice(0, all ? means.length : most_rows).map(row => (
                  <tr>
                    <th scope="row">
                      <bdi>{row.word}</bdi>
                    </th>
                    <td class="number">{row.count}</td>
                    {tells && <td class="number">{row.predicted.toFixed(2)}</td>}
                    <td class="number">{row.learned.toFixed(2)}</td>
                    <td>
                      <bdi>{goes_with.get(row.word) ?? "–"}</bdi>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scrolled>
          <p class="soft">
            Attention is the mean weight on the word, from 0 to 1, in the held-out texts with it. Indicates “–”: the
            word indicates no label, or only weakly. &lt;unknown&gt;: no text for training has the word.
          </p>
          {means.length > most_rows && (
            <button type="button" onClick={() => show_all(!all)}>
              {all ? `Show the ${most_rows} with the largest weights` : `Show all ${means.length} words`}
            </button>
          )}
        </>
      )}
    </section>
  );
}

function TextOf({ training, example, label }: { training: Training; example: number; label: string }) {
  return (
    <>
      {name_of_text(texts_held_out(training)[example]!)}, held out (<bdi>{label}</bdi>)
    </>
  );
}
