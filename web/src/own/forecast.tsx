// What attention will do, told before it is trained.
import { Fragment } from "preact";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { engine } from "../engine/engine";
import type { Training } from "../engine/training";
import { Term } from "../term";
import { sentence } from "../trouble";
import { words_in } from "./texts";

// A word that may stand with a class: by how many standard deviations more often than chance has it, the chance that it does so
// in all texts like these, and how many texts would make it sure.
interface Candidate {
  word: string;
  deviations: number | null;
  likely: number;
  settled_by: number | null;
}
interface Output {
  output: string;
  words: { word: string; deviations: number | null }[]; // that are sure
  candidates: Candidate[];
}
export interface Forecast {
  prediction: {
    verdict: keyof typeof meanings;
    says: string;
    because: string;
    examples: number;
    copies: number;
    outputs: Output[];
  };
  attention: number[][]; // of each of the texts asked about
  logits: number[]; // of attention, by token
}

const probably = 0.8,
  perhaps = 0.6; // a candidate's chance
const most_candidates = 3;

// What a verdict means for who has never read of bags and outputs.
const meanings = {
  early: "The words of a text, in whatever order, tell its label, so attention has something to go by from the start.",
  slow: "The words of a text tell a little of its label, so attention will take longer to find them.",
  hard: "No single word predicts the label, so uniform attention has nothing to learn from.",
  unsure: "These are too few texts to tell how early attention will be learned. What single words tell is below.",
};

// It is of the data, so it holds for every training on them: the newest two are remembered.
const newest = new Map<string, Promise<Forecast>>();
function forecast(training: Training): Promise<Forecast> {
  const texts = training.source.map(present);
  const data = JSON.stringify([training.settings.task, training.plan.seed, texts]);
  const told = newest.get(data) ?? engine.ask<Forecast>({ ask: "predict", ...training.plan, texts });
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

// Without what fills a text up to the longest.
export function present(tokens: number[]): number[] {
  return tokens.filter(token => token >= 0);
}

export function Predicted({ training }: { training: Training }) {
  const { told, problem } = useForecast(training);
  if (problem) return <p class="problem">{problem}</p>;
  if (!told) return <p class="soft">Reading the texts …</p>;
  return (
    <>
      <Told {...told.prediction} />
      {tells_attention(told) ? <NewText training={training} told={told} /> : <TellingWords told={told} />}
    </>
  );
}

function Told({ verdict, says, because, examples, copies, outputs }: Forecast["prediction"]) {
  const [what, why] = says.split(": "); // "cannot tell: too few examples"
  return (
    <section class="forecast">
      <h2>
        Predicted, before any training: {what}
        {why && ` (${why})`}
      </h2>
      <p>
        {meanings[verdict]} Told from {examples} texts; others are held out
        {copies > 0 &&
          `, and ${copies} ${copies === 1 ? "is a copy" : "are copies"} of one of these, which tells nothing new`}
        .
      </p>
      <ul>
        {outputs.map(output => (
          <li>
            <Expected {...output} />
          </li>
        ))}
      </ul>
      <p class="soft">
        Attention has a reason to come to a word only if the word goes with a label. Whether it comes there is seen
        below, once trained.
        {outputs.length === 2 &&
          " Of two classes, it may come to the words of one alone: where they are missing, it is the other."}
      </p>
      <details>
        <summary>How it was told</summary>
        <p class="soft">{sentence(because)}</p>
      </details>
    </section>
  );
}

const likely_of = (candidates: Candidate[]) =>
  candidates.filter(one => one.likely >= perhaps).slice(0, most_candidates);
// Of too few texts where attention goes is not predicted: a flow on them follows what chance has put together.
export const tells_attention = ({ prediction }: Forecast) => prediction.verdict !== "unsure";
const how_likely = (likely: number) => (likely >= probably ? "probably" : "perhaps");
export const named_of = ({ words, candidates }: Output) =>
  (words.length > 0 ? words : likely_of(candidates)).map(one => one.word);

// Words that are sure; where there is none the likeliest, and what would settle it.
function Expected({ output, words, candidates }: Output) {
  const label = (
    <b>
      <bdi>{output}</bdi>
    </b>
  );
  if (words.length > 0)
    return (
      <>
        For {label} attention will come to{" "}
        {words.map(({ word, deviations }, i) => (
          <Fragment key={word}>
            {i > 0 && ", "}
            <b>
              <bdi>{word}</bdi>
            </b>
            {deviations !== null && (
              <span class="soft">
                {" "}
                ({deviations.toFixed(1)} <Term word="σ">σ</Term>)
              </span>
            )}
          </Fragment>
        ))}
        .
      </>
    );
  const likely = likely_of(candidates);
  const named = likely.length > 0 ? likely : candidates.slice(0, 1);
  const settled = named[0]?.settled_by;
  return (
    <>
      {likely.length > 0 ? "Words that go with " : "Which words go with "}
      {label}
      {likely.length > 0 ? ": " : " cannot be told"}
      {likely.length === 0 && named.length > 0 && "; the likeliest is "}
      {named.map((one, i) => (
        <Fragment key={one.word}>
          {i > 0 && ", "}
          <b>
            <bdi>{one.word}</bdi>
          </b>
          <span class="soft">
            {" "}
            ({likely.length > 0 && `${how_likely(one.likely)}, `}
            {one.deviations?.toFixed(1)} <Term word="σ">σ</Term>)
          </span>
        </Fragment>
      ))}
      {typeof settled === "number" && `. About ${rounded_up(settled)} texts would settle it`}.
    </>
  );
}

// To two digits: more are not known.
function rounded_up(count: number): number {
  const ten = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return ten * Math.ceil(count / ten);
}

function logits_of(training: Training, { logits }: Forecast): Map<string, number> {
  return new Map(logits.map((logit, token) => [training.word(token), logit]));
}

// Of few texts attention is followed on their most frequent words alone: those that are named above may not be among them.
export function Followed({ training, told }: { training: Training; told: Forecast }) {
  const left_out = useMemo(() => {
    const known = logits_of(training, told);
    return told.prediction.outputs.flatMap(named_of).filter(word => !known.get(word));
  }, [training, told]);
  if (left_out.length === 0) return null;
  return (
    <p class="soft">
      Of so few texts, attention is predicted for their most frequent words only. Not among them, and so taken for words
      of no class: {left_out.join(", ")}.
    </p>
  );
}

// A sentence of the person's own, and where attention will lie on it: the softmax of its words' logits.
function NewText({ training, told }: { training: Training; told: Forecast }) {
  const id = useId();
  const [text, write] = useState("");
  const known = useMemo(() => logits_of(training, told), [training, told]);
  const words = words_in(text).split(" ").filter(Boolean);
  const powers = words.map(word => Math.exp(known.get(word) ?? 0));
  const all = powers.reduce((sum, one) => sum + one, 0);
  const weights = powers.map(power => power / all);
  const unknown = [...new Set(words.filter(word => !known.has(word)))];
  return (
    <section class="new-text">
      <label for={id}>Try a sentence of your own: where is attention predicted to go?</label>
      <input
        id={id}
        type="text"
        class="sentence"
        autocomplete="off"
        value={text}
        onInput={event => write(event.currentTarget.value)}
        placeholder="Write here"
      />
      <div aria-live="polite">
        {words.length > 0 && <Shaded words={words} weights={weights} darkest={Math.max(0.25, ...weights)} />}
        {words.length > 0 && <Followed training={training} told={told} />}
        {unknown.length > 0 && (
          <p class="soft">
            {unknown.length === 1 ? "No text for training has the word " : "No text for training has the words "}
            {unknown.slice(0, 5).join(", ")}
            {unknown.length > 5 && " …"}: attention on {unknown.length === 1 ? "it" : "them"} is that on a word of no
            class.
          </p>
        )}
        {words.length > 1 && Math.max(...weights) - Math.min(...weights) < 1e-9 && (
          <p class="soft">No word of it is predicted to stand out.</p>
        )}
      </div>
    </section>
  );
}

// A sentence of the person's own, of which too few texts say where attention would lie: its words that may go with a label.
function TellingWords({ told }: { told: Forecast }) {
  const id = useId();
  const [text, write] = useState("");
  const words = new Set(words_in(text).split(" ").filter(Boolean));
  const found = told.prediction.outputs.flatMap(({ output, words: sure, candidates }) =>
    sure.length > 0
      ? sure.filter(({ word }) => words.has(word)).map(({ word }) => `${word} (${output})`)
      : candidates
          .filter(({ word, likely }) => words.has(word) && likely >= perhaps)
          .map(({ word, likely }) => `${word} (${output}, ${how_likely(likely)})`),
  );
  return (
    <section class="new-text">
      <label for={id}>Try a sentence of your own: which of its words may tell its label?</label>
      <input
        id={id}
        type="text"
        class="sentence"
        autocomplete="off"
        value={text}
        onInput={event => write(event.currentTarget.value)}
        placeholder="Write here"
      />
      <p aria-live="polite" class="soft">
        {words.size > 0 &&
          (found.length > 0
            ? `Its words that may go with a label: ${found.join(", ")}. `
            : "None of its words is likely to go with a label. ")}
        These are too few texts to predict where attention will go in it.
      </p>
    </section>
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
