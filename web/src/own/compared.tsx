// Word by word, how what was learned of one's own texts compares with what was predicted.
import type { Training } from "../engine/training";
import { Scrolled } from "../scrolled";
import { Explained } from "../term";
import { Followed, type Forecast, named_of, present, Shaded, tells_attention, useForecast } from "./forecast";

const most_rows = 20;
const by_word = "unigram-gate";
const still_uniform = 0.95; // of the normalised entropy, as the audit has it

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
    tells = tells_attention(told);
  const look = training.look_at(at);
  if (!look) return null;
  const [count, rows, positions] = look.shape;
  const learned = (text: number) =>
    look.alpha.subarray(text * rows * positions, text * rows * positions + present(training.source[text]!).length);
  const goes_with = new Map(
    told.prediction.outputs.flatMap(output => named_of(output).map(word => [word, output.output])),
  );
  const label = training.class_of(example);
  const words = (text: number) => present(training.source[text]!).map(token => training.word(token));
  const most = (weights: ArrayLike<number>) => Array.prototype.indexOf.call(weights, Math.max(...Array.from(weights)));
  const entropy = training.value_at(look.held ? "entropy_held" : "entropy", look.step),
    right = training.value_at("accuracy", look.step);
  const reads_in_context = training.setting("model", "name") !== by_word,
    two_classes = new Set(training.labels).size === 2;
  const uniform = look.step > 0 && typeof entropy === "number" && entropy >= still_uniform;
  let same = 0,
    named = 0,
    by_chance = 0;
  const table = new Map<string, Row>();
  for (let text = 0; text < count; ++text) {
    const now = learned(text),
      then = predicted[text]!;
    // Where all words are predicted about alike, none is.
    if (tells && Math.max(...then) * then.length > 2) {
      ++named;
      by_chance += 1 / then.length;
      if (most(now) === most(then)) ++same;
    }
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
      {look.step === 0 ? (
        <p>Nothing is learned yet: press Play, and compare.</p>
      ) : (
        <p>
          {named > 0 &&
            `In ${same} of ${named} texts that were held out, the word most attended to at step ${look.step} is the one predicted (by chance: ${by_chance.toFixed(1)}). `}
          {!tells && "Where attention goes was not predicted, of so few texts. "}
          {tells &&
            named < count &&
            `In ${named > 0 ? "the other " : ""}${count - named} ${named > 0 ? "" : "texts that were held out "}no word is predicted to stand out. `}
          {typeof right === "number" && (
            <Right share={right} of={training.labels.slice(0, count).map((_, text) => training.class_of(text))} />
          )}
          {uniform && (
            <>
              <Explained
                text={`Attention is almost uniform (entropy ${entropy.toFixed(2)} of 1): it has come to no word, and does not tell which words the model uses.`}
              />
              {reads_in_context && two_classes && (
                <>
                  {" "}
                  This model reads each word together with the others, and need not attend.{" "}
                  <a href={`#/play?task=own&model=${by_word}`}>One that has a weight and a logit for each word</a> shows
                  better which it uses.
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
          <Followed training={training} told={told} />
        </>
      )}
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
                {tells && <td class="number">{row.predicted.toFixed(3)}</td>}
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
        {means.length > most_rows ? `; the ${most_rows} with the most of ${means.length}` : ""}. A word goes with a
        label as predicted above, – with none. A word that no text for training has is &lt;unknown&gt;.
      </p>
    </section>
  );
}

function TextOf({ example, label }: { example: number; label: string }) {
  return (
    <>
      Text {example + 1} (<bdi>{label}</bdi>)
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
