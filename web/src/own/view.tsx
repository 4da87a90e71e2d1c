// Texts of one's own: the verdict first, the texts beside it, then the words, a sentence to try, and the held-out texts.
import type { ComponentChildren, FunctionComponent } from "preact";
import { useRef, useState } from "preact/hooks";
import { address_with } from "../address";
import type { Training } from "../engine/training";
import { useScreen } from "../screen";
import { Compared } from "./compared";
import { type Effects, useEffects } from "./effects";
import { Counted } from "./forecast";
import { HeldOut } from "./held_out";
import { OwnPanel } from "./panel";
import type { Forecast } from "./prediction";
import { NewText } from "./sentence";
import { own_texts } from "./texts";
import { by_word, model_name, to_remove } from "./trust";
import { useForecast } from "./use_forecast";
import { Verdict } from "./verdict";

interface Props {
  trainings: Training[]; // on the texts; none while there are no texts
  at: number;
  example: number;
  controls: ComponentChildren; // of the training
}

export function OwnTextsView({ trainings, at, example, controls }: Props) {
  const { wide } = useScreen();
  const training = trainings[0];
  return (
    <div class={training ? "given known" : "given"}>
      <div class="main-part">
        {training ? (
          <>
            <div class="first">
              <Result training={training} at={at} part={Verdict} />
              {controls}
              {training.setting("model", "name") === by_word && (
                <p>
                  <a href={address_with({ model: undefined, set: undefined, step: at })}>
                    Back to the answer of the LSTM classifier
                  </a>
                </p>
              )}
              <p class="soft">
                The page trains {model_name(training).replace("this", "a")} once. Other models and seeds may attend to
                other words. This command trains several and compares them: <code>fovea check-attention FILE</code>
              </p>
            </div>
            <div class="results">
              <Result training={training} at={at} part={Counted} />
              <details class="fold">
                <summary>All words of the held-out texts</summary>
                {trainings.map(one => (
                  <Compared key={one.title} training={one} at={at} example={example} />
                ))}
              </details>
            </div>
          </>
        ) : (
          <WhatFollows />
        )}
      </div>
      <div class="side-part">
        <details class="texts" open={wide || !training}>
          <summary>Your texts</summary>
          <OwnPanel own={own_texts} />
        </details>
        {training && <Result training={training} at={at} part={OfTexts} />}
      </div>
    </div>
  );
}

interface PartProps {
  training: Training;
  at: number;
  told: Forecast;
  effects: Effects | undefined;
  unmeasured: string; // why there are no effects; "" if they are measured yet
}

const nothing = { words: [], pair: [], alone: undefined, all: [] };

// What needs the forecast and the trained answers.
function Result({ training, at, part: Part }: { training: Training; at: number; part: FunctionComponent<PartProps> }) {
  const { told, problem } = useForecast(training);
  const { effects, problem: unmeasured = "" } = useEffects(training, at, told ? to_remove(training, told) : nothing);
  if (problem) return Part === Verdict ? <p class="problem">{problem}</p> : null;
  if (!told) return <p class="soft">Reading the texts …</p>;
  return <Part training={training} at={at} told={told} effects={effects} unmeasured={unmeasured} />;
}

// A sentence to try, and the held-out texts, from which one is taken.
function OfTexts(props: PartProps) {
  const { training, told } = props;
  const [text, write] = useState("");
  const place = useRef<HTMLDivElement>(null);
  const take = (text: string) => {
    write(text);
    place.current!.querySelector("input")!.focus();
  };
  return (
    <>
      <div ref={place}>
        <NewText told={told} training={training} text={text} write={write} />
      </div>
      <HeldOut {...props} take={take} />
    </>
  );
}

// What texts lead to, until there are some.
function WhatFollows() {
  return (
    <ol class="follows">
      <li>
        <b>Predict.</b> Fovea counts words and labels. It lists the words that indicate each label, and how sure that
        is. It warns of a word that gives a label away.
      </li>
      <li>
        <b>Train.</b> A small model trains on your texts in this browser. It takes a few seconds.
      </li>
      <li>
        <b>Compare.</b> One block answers: which words the model uses, if you can trust its attention, if the forecast
        was right, and how good the answers are.
      </li>
    </ol>
  );
}
