// A sentence of the person's own, read by the trained model: its attention, its answer, and the answer without words.
import { useEffect, useState } from "preact/hooks";
import type { Training } from "../engine/training";
import { type Answer, answer_of } from "./effects";
import { shade } from "./shaded";
import { words_of } from "./words";

interface Reading {
  step: number;
  chances: number[][]; // of each text, by class
  attention: number[][];
}

const pause = 200; // milliseconds after the last change, before the model is asked

export function Answered({ training, text }: { training: Training; text: string }) {
  const words = words_of(text);
  const key = words.join(" ");
  const [removed, remove] = useState<ReadonlySet<number>>(new Set());
  const [found, set] = useState<{ of: string; reading: Reading }>();
  const [problem, set_problem] = useState("");
  const unknown = [...new Set(words)].filter(word => training.word(training.token_of(word)) !== word);
  const left = words.filter((_, i) => !removed.has(i));
  const asked = `${key}\n${left.join(" ")}`;
  useEffect(() => remove(new Set()), [key]);
  useEffect(() => {
    if (words.length === 0) return;
    const texts = [words, ...(left.length > 0 ? [left] : [])].map(text => text.map(word => training.token_of(word)));
    const timer = setTimeout(() => {
      training.ask<Reading>("read", { texts }).then(
        reading => {
          set({ of: asked, reading });
          set_problem("");
        },
        (error: Error) => set_problem(error.message),
      );
    }, pause);
    return () => clearTimeout(timer);
  }, [training, asked, training.step]);
  if (problem) return <p class="problem">{problem}</p>;
  if (words.length === 0) return null;
  const reading = found?.of.startsWith(`${key}\n`) ? found.reading : undefined;
  const weights = reading?.attention[0] ?? [];
  const current = found?.of === asked;
  const before = reading && answer_of(training, reading.chances[0]!);
  const after =
    current && removed.size > 0 && reading?.chances[1] ? answer_of(training, reading.chances[1]) : undefined;
  const toggle = (i: number) =>
    remove(new Set(removed.has(i) ? [...removed].filter(one => one !== i) : [...removed, i]));
  return (
    <>
      <p class="shaded" dir="auto">
        {words.map((word, i) => (
          <button
            type="button"
            aria-pressed={removed.has(i)}
            title={removed.has(i) ? "Put it back" : "Remove it"}
            style={{ "--share": shade(weights[i] ?? 0) }}
            onClick={() => toggle(i)}
          >
            {word} {weights.length > 0 && <small>{(weights[i] ?? 0).toFixed(2)}</small>}
          </button>
        ))}
      </p>
      <p aria-live="polite">
        {before && (
          <>
            After step {reading!.step} the answer is <AnswerText {...before} />.{" "}
          </>
        )}
        {after && (
          <>
            Without{" "}
            {words
              .filter((_, i) => removed.has(i))
              .map(word => `“${word}”`)
              .join(", ")}{" "}
            it is <AnswerText {...after} />: the answer {after.label === before!.label ? "does not change" : "changes"}.
          </>
        )}
        {left.length === 0 && "No word is left."}
        {removed.size === 0 && "Select a word to remove it, and compare the answers."}
      </p>
      <p class="soft">
        The numbers are attention as this training learned it.
        {unknown.length > 0 &&
          ` No text for training has ${unknown.map(word => `“${word}”`).join(", ")}: the model reads an unknown word.`}
      </p>
    </>
  );
}

function AnswerText({ label, chance }: Answer) {
  return (
    <>
      <b>
        <bdi>{label}</bdi>
      </b>{" "}
      (probability {chance.toFixed(2)})
    </>
  );
}
