// What attention will do, told before it is trained.
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { engine } from "../engine/engine";
import type { Training } from "../engine/training";
import { Scrolled } from "../scrolled";
import { Term } from "../term";
import { sentence } from "../trouble";
import { Answered } from "./answered";
import type { Forecast, Output } from "./prediction";
import { type Learned, learned_words, present, trust_of } from "./trust";
import { words_of } from "./words";

const most_doubtful = 10;

// What a verdict means for who has never read of bags and outputs.
const meanings = {
  early: "Single words indicate the label, so attention has something to learn from the start.",
  slow: "Single words indicate the label weakly, so attention is learned later.",
  hard: "Single words were not found to indicate the label, so attention has nothing to start from.",
  unsure: "The words below are counted in your texts.",
};

// It is of the data, so it holds for every training on them: the newest two are remembered.
const newest = new Map<string, Promise<Forecast>>();
function forecast(training: Training): Promise<Forecast> {
  const question = {
    ask: "predict",
    texts: training.setting("task", "texts"),
    labels: training.setting("task", "labels"),
    shade: training.source.map(tokens =>
      present(tokens)
        .map(token => training.word(token))
        .join(" "),
    ),
  };
  const data = JSON.stringify(question);
  const told = newest.get(data) ?? engine.ask<Forecast>(question);
  newest.delete(data);
  newest.set(data, told);
  told.catch(() => newest.get(data) === told && newest.delete(data)); // the next who asks may be told
  if (newest.size > 2) newest.delete(newest.keys().next().value!);
  return told;
}

export function useForecast(training: Training): { told?: Forecast; problem?: string } {
  const [answer, set] = useState<{ of: Training; told?: Forecast; problem?: string }>();
  useEffect(() => {
    forecast(training).then(
      told => set({ of: training, told }),
      (error: Error) => set({ of: training, problem: error.message }),
    );
  }, [training]);
  return answer?.of === training ? answer : {};
}

export function Predicted({ training, at }: { training: Training; at: number }) {
  const { told, problem } = useForecast(training);
  if (problem) return <p class="problem">{problem}</p>;
  if (!told) return <p class="soft">Reading the texts …</p>;
  const leak = told.prediction.leak || shortcut_in(told.prediction);
  return (
    <>
      {leak && (
        <p class="trust" role="status">
          {leak}
        </p>
      )}
      <p class={leak ? "trust second" : "trust"} role="status">
        {trust_of(training, at, told)}
      </p>
      <p class="soft">
        The page trains one model once. Other models and seeds may attend to other words. This command trains several
        and compares them: <code>fovea check-attention FILE</code>
      </p>
      <Told {...told.prediction} learned={learned_at(training, at)} />
      <NewText told={told} training={training} />
    </>
  );
}

function Told({
  verdict,
  says,
  because,
  attention_predicted,
  examples,
  copies,
  repeated,
  outputs,
  labels,
  learned,
}: Forecast["prediction"] & { learned: Map<string, Learned> | undefined }) {
  const [what, why] = says.split(": "); // "uncertain: too few examples"
  const draws = Object.entries(repeated).filter(([, times]) => times > 0);
  return (
    <section class="forecast">
      <h2>
        {attention_predicted ? `Predicted, before any training: ${what}` : "Counted: attention is not predicted"}
        {why && ` (${why})`}
      </h2>
      <p>
        {meanings[verdict]} From {examples} distinct texts
        {copies > 0 && ` (${copies} ${copies === 1 ? "copy is" : "copies are"} not counted)`}.
      </p>
      <Evidence outputs={outputs} predicted={attention_predicted} learned={learned} />
      <Labels {...labels} />
      <details>
        <summary>How this was predicted</summary>
        <p class="soft">{sentence(because)}</p>
        {draws.length > 0 && (
          <p class="soft">
            The prediction was repeated on {draws.reduce((sum, [, times]) => sum + times, 0)} random draws of four
            fifths of the texts. The verdict was {draws.map(([name, times]) => `${name} ${times} times`).join(", ")}.
          </p>
        )}
        <p class="soft">
          Evidence is strong if chance shows such a word in one of a thousand data sets. Otherwise it is probable from a
          probability of 0.8 on, and possible from 0.6 on: the probability that the word goes with the label in all such
          texts.
        </p>
      </details>
    </section>
  );
}

// A warning of a word that may give the label away and is in half of its texts.
function shortcut_in({ outputs, examples }: Forecast["prediction"]): string {
  for (const { output, per_example, candidates } of outputs)
    for (const { word, here, elsewhere, alone } of candidates)
      if (alone && per_example * examples <= 2 * here)
        return `“${word}” may give the label away: ${here} of the ${here + elsewhere} texts with it are ${output}. Remove it and check again.`;
  return "";
}

// What a trained model attends to; nothing before training.
function learned_at(training: Training, at: number): Map<string, Learned> | undefined {
  const look = training.look_at(at);
  return look && look.step > 0 ? learned_words(training, look) : undefined;
}

const mean_text = (learned: Learned | undefined) => (learned ? (learned.sum / learned.count).toFixed(2) : "–");

export const named_of = ({ candidates }: Output) => candidates.filter(one => one.evidence !== "weak");

const most_weak = 3;
// Where none goes with the label, the likeliest are shown as what they are: weak.
const shown_of = (output: Output) => {
  const named = named_of(output);
  return named.length > 0 ? named : output.candidates.slice(0, most_weak);
};

// The words that go with each label, and beside each the attention that is predicted for it.
function Evidence(props: { outputs: Output[]; predicted: boolean; learned: Map<string, Learned> | undefined }) {
  const { outputs, predicted, learned } = props;
  const none = outputs.filter(output => shown_of(output).length === 0);
  const alone = outputs.flatMap(({ output, candidates }) =>
    candidates
      .filter(one => one.alone)
      .map(one => `“${one.word}” (${one.here} of the ${one.here + one.elsewhere} texts with it: ${output})`),
  );
  const unsettled = outputs
    .flatMap(named_of)
    .find(one => one.evidence !== "strong" && !one.alone && one.settled_by !== null);
  return (
    <>
      {none.length < outputs.length && (
        <Scrolled label="Words that indicate each label">
          <table class="evidence">
            <thead>
              <tr>
                <th scope="col">label</th>
                <th scope="col">word</th>
                <th scope="col">texts : others</th>
                <th scope="col">
                  <Term word="σ">σ</Term>
                </th>
                <th scope="col">evidence</th>
                {predicted && <th scope="col">predicted attention</th>}
                {learned && <th scope="col">learned attention</th>}
              </tr>
            </thead>
            <tbody>
              {outputs.flatMap(output =>
                shown_of(output).map((one, i) => (
                  <tr key={`${output.output} ${one.word}`}>
                    <td>{i === 0 && <bdi>{output.output}</bdi>}</td>
                    <th scope="row">
                      <bdi>{one.word}</bdi>
                    </th>
                    <td class="number">
                      {one.here} : {one.elsewhere}
                    </td>
                    <td class="number">{one.deviations?.toFixed(1)}</td>
                    <td>{one.evidence}</td>
                    {predicted && <td>{one.attended === null ? "–" : `× ${one.attended.toFixed(1)}`}</td>}
                    {learned && <td class="number">{mean_text(learned.get(one.word))}</td>}
                  </tr>
                )),
              )}
            </tbody>
          </table>
        </Scrolled>
      )}
      {none.length < outputs.length && (
        <p class="soft">
          The counts are texts that contain the word: with the label, and with others. Words are sorted by the
          probability that they go with the label. At the same σ, a rarer word is less probable.{" "}
          {predicted && "Predicted attention is a multiple of uniform attention; – : not predicted. "}
          {learned && "Learned attention is the mean weight of the word in held-out texts; – : in none of them."}
        </p>
      )}
      {none.map(({ output }) => (
        <p>
          No word was found for <bdi>{output}</bdi>.
        </p>
      ))}
      {unsettled && (
        <p class="soft">
          About {rounded_up(unsettled.settled_by!)} distinct texts would make “{unsettled.word}” strong evidence.
        </p>
      )}
      {alone.length > 0 && (
        <p>
          Nearly all texts with {alone.length === 1 ? "this word have" : "one of these words have"} one label:{" "}
          {alone.join(", ")}. Check that {alone.length === 1 ? "it does" : "they do"} not give the label away. Rarer
          words may be in one label by chance.
        </p>
      )}
    </>
  );
}

// Texts that may have a wrong label.
function Labels({ doubtful, accuracy, majority, repeats, learned, false_alarms }: Forecast["prediction"]["labels"]) {
  if (repeats > 0 && !learned)
    return (
      <p class="soft">
        Wrong labels cannot be listed: models of single words label {percent(accuracy)} of held-out texts correctly, and
        the most frequent label has {percent(majority)}.
      </p>
    );
  if (doubtful.length === 0) return null;
  return (
    <>
      <h3>{doubtful.length === 1 ? "Check this label" : `Check these ${doubtful.length} labels`}</h3>
      <ul>
        {doubtful.slice(0, most_doubtful).map(one => (
          <li key={one.text}>
            Text {one.text} is labelled{" "}
            <b>
              <bdi>{one.label}</bdi>
            </b>
            . All models predict{" "}
            <b>
              <bdi>{one.instead}</bdi>
            </b>
            : <bdi>{one.words}</bdi>
          </li>
        ))}
      </ul>
      <p class="soft">
        {doubtful.length > most_doubtful && `The ${most_doubtful} clearest of ${doubtful.length}. `}
        The models read single words. They label {percent(accuracy)} of held-out texts correctly. By chance, about{" "}
        {false_alarms.toFixed(1)} right labels are listed.
      </p>
    </>
  );
}

const percent = (share: number) => `${Math.round(100 * share)}\u00a0%`;

// To two digits: more are not known.
function rounded_up(count: number): number {
  const ten = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return ten * Math.ceil(count / ten);
}

// A sentence of the person's own, read by the trained model. Before training its attention is predicted.
function NewText({ told, training }: { told: Forecast; training: Training }) {
  const id = useId();
  const [text, write] = useState("");
  const predicted = told.prediction.attention_predicted;
  const question =
    training.step > 0
      ? "what does the trained model attend to and answer?"
      : predicted
        ? "where is attention predicted to go?"
        : "which of its words indicate a label?";
  return (
    <section class="new-text">
      <label for={id}>Try your own sentence: {question}</label>
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
      {words.length > 0 && <Shaded words={words} weights={weights} darkest={Math.max(0.25, ...weights)} />}
      {unknown.length > 0 && (
        <p class="soft">
          {unknown.length === 1 ? "No text has the word " : "No text has the words "}
          {unknown.slice(0, 5).join(", ")}
          {unknown.length > 5 && " …"}. Attention on {unknown.length === 1 ? "it" : "them"} is predicted as uniform.
        </p>
      )}
      {words.length > 1 && Math.max(...weights) - Math.min(...weights) < 1e-9 && (
        <p class="soft">No word of it is predicted to stand out.</p>
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

// The more weight, the darker behind the word; its number stands under it.
export function Shaded({ words, weights, darkest }: { words: string[]; weights: ArrayLike<number>; darkest: number }) {
  return (
    <p class="shaded" dir="auto" tabIndex={words.length > 200 ? 0 : undefined}>
      {words.map((word, i) => (
        <span style={{ "--share": `${Math.round((45 * weights[i]!) / darkest)}%` }}>
          {word} <small>{weights[i]!.toFixed(2)}</small>
        </span>
      ))}
    </p>
  );
}
