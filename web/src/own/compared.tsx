// Word by word, how what was learned of one's own texts compares with what was predicted.
import type { Training } from "../engine/training";
import { Scrolled } from "../scrolled";
import { Explained } from "../term";
import { named_of, Shaded, useForecast } from "./forecast";
import type { Forecast } from "./prediction";
import { logit_of, measured, present } from "./trust";

const most_rows = 20;
const by_word = "unigram-gate";

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
  const predicted = told.attention,
    tells = told.prediction.attention_predicted;
  const look = training.look_at(at);
  if (!look) return null;
  const [count, rows, positions] = look.shape;
  const learned = (text: number) =>
    look.alpha.subarray(text * rows * positions, text * rows * positions + present(training.source[text]!).length);
  const goes_with = new Map(
    told.prediction.outputs.flatMap(output => named_of(output).map(({ word }) => [word, output.output])),
  );
  const label = training.class_of(example);
  const words = (text: number) => present(training.source[text]!).map(token => training.word(token));
  const found = measured(training, at, told),
    right = training.value_at("accuracy", look.step);
  const reads_in_context = training.setting("model", "name") !== by_word,
    two_classes = new Set(training.labels).size === 2;
  const table = new Map<string, Row>();
  for (let text = 0; text < count; ++text) {
    const now = learned(text),
      then = predicted[text]!;
    words(text).forEach((word, i) => {
      const row = table.get(word) ?? table.set(word, { word, count: 0, predicted: 0, learned: 0 }).get(word)!;
      row.count += 1;
      row.predicted += then[i]!;
      row.learned += now[i]!;
    });
  }
  const darkest = Math.max(0.25, ...(tells ? predicted[example]! : []), ...learned(example));
  const means = [...table.values()].map(row => ({
    ...row,
    predicted: row.predicted / row.count,
    learned: row.learned / row.count,
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
            `In ${found.same} of ${found.named} texts that were held out from training, the word most attended to at step ${found.step} is the one predicted (by chance: ${found.by_chance.toFixed(1)}). `}
          {!tells && "Attention was not predicted. "}
          {tells && found.named < count && `In ${count - found.named} texts no word is predicted to stand out. `}
          {typeof right === "number" && (
            <Right share={right} of={training.labels.slice(0, count).map((_, text) => training.class_of(text))} />
          )}
          {found.uniform && (
            <>
              <Explained
                text={`Attention is almost uniform (entropy ${found.entropy!.toFixed(2)} of 1), so it does not show which words the model uses.`}
              />
              {reads_in_context && two_classes && (
                <>
                  {" "}
                  This model reads each word together with the others, and need not attend.{" "}
                  <a href={`#/play?task=own&model=${by_word}`}>A model with a weight and a logit for each word</a> shows
                  better which words it uses.
                </>
              )}
            </>
          )}
        </p>
      )}
      {tells && (
        <>
          <h3>
            <TextOf example={example} label={label} />: predicted
          </h3>
          <Shaded words={words(example)} weights={predicted[example]!} darkest={darkest} />
        </>
      )}
      {found && (
        <>
          <h3>
            <TextOf example={example} label={label} />: learned at step {look.step}
          </h3>
          <Shaded words={words(example)} weights={learned(example)} darkest={darkest} />
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
                  <th scope="col">goes with</th>
                </tr>
              </thead>
              <tbody>
                {means.slice(0, most_rows).map(row => (
                  <tr>
                    <th scope="row">
                      <bdi>{row.word}</bdi>
                    </th>
                    <td class="number">{row.count}</td>
                    {tells && <td class="number">{logit_of(told, row.word) ? row.predicted.toFixed(3) : "–"}</td>}
                    <td class="number">{row.learned.toFixed(3)}</td>
                    <td>
                      <bdi>{goes_with.get(row.word) ?? "–"}</bdi>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scrolled>
          <p class="soft">
            Mean attention on a word where it stands
            {means.length > most_rows ? `; the ${most_rows} with the most of ${means.length}` : ""}. A word goes with
            the label that the table above gives. – : nothing is predicted. &lt;unknown&gt;: no text for training has
            the word.
          </p>
        </>
      )}
    </section>
  );
}

function TextOf({ example, label }: { example: number; label: string }) {
  return (
    <>
      Held-out text {example + 1} (<bdi>{label}</bdi>)
    </>
  );
}

const percent = (share: number) => `${Math.round(100 * share)}\u00a0%`;

// How many of these labels the model gives, beside what the same answer for all would come to.
function Right({ share, of }: { share: number; of: string[] }) {
  const counts = new Map<string, number>();
  for (const label of of) counts.set(label, (counts.get(label) ?? 0) + 1);
  const most = Math.max(...counts.values()),
    [frequent, ...others] = [...counts.keys()].filter(label => counts.get(label) === most);
  return (
    <>
      Of {of.length} texts that were held out, the model labels {Math.round(share * of.length)} rightly (
      {percent(share)}). Always answering{" "}
      {others.length === 0 ? (
        <>
          <bdi>{frequent}</bdi>, their most frequent label,
        </>
      ) : (
        "the same"
      )}{" "}
      would be right in {most} ({percent(most / of.length)}).{" "}
    </>
  );
}
