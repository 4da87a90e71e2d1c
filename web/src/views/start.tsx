// The front door: one question, and two trainings that answer it, played side by side as soon as they are seen.
import { useEffect, useMemo, useReducer, useState } from "preact/hooks";
import text_of_lesson from "#lesson";
import type { Curve } from "../curves";
import { engine } from "../engine/engine";
import type { Training } from "../engine/training";
import { Heatmap } from "../heatmap";
import { lesson } from "../lesson";
import { Lines } from "../lines";
import { Player } from "../play/player";
import { front_door, pair } from "../play/presets";
import { first, plan_of, type State, task_of, words_of } from "../play/state";
import { useScreen } from "../screen";
import type { Source } from "../source";
import { Explained, Term } from "../term";

const held_until = 60;
let lesson_open = false; // who comes back from a part of it goes on with the next
const unit: [number, number] = [0, 1];
const task = task_of({ ...first, ...pair.state });
const names: { [metric: string]: string } = {
  [task.knowledge!.metric]: "β: the words",
  [task.attention!.metric]: "α: where to look",
};
const shown = new Set(Object.values(names));
const sides = [
  {
    title: "Every text: the same 20 words",
    says: "All 20 are in every text, in another order. So which words are there is the same each time, and tells the model nothing.",
  },
  {
    title: "Every text: 20 of 30 words",
    says: "Every text has another choice of 20. So the words that were read tell which words have to be written.",
  },
];

export function Start({ source }: { source: Source }) {
  return (
    <div class="start">
      <h1>What does a model learn first: the words, or where to look?</h1>
      <p>
        <Term word="attention">Attention</Term> is how a neural network chooses what to look at: for each word that it
        writes, it divides 100 % among the words that it has read. Nobody tells it where to look: it learns that while
        it learns what the words mean.
      </p>
      <p class="reading">
        Here two models practise copying a text, word by word. At first they know neither the words nor where to look.
        In each map a row is a word written, a column a word read: the stronger the colour of a square, the more the
        model looks there. Looking at the right words makes a diagonal.
      </p>
      {engine.there ? (
        <Pair />
      ) : (
        <p>
          Here two models would learn before your eyes, and this page was built without the engine for it: install
          Emscripten, then build Fovea again.
        </p>
      )}
      <section class="seen">
        <h2>What you have just seen</h2>
        <p>
          <Explained text="By rank, the words come first, then where to look. While attention is still uniform, a model sees which words are in the text and which are written, and learns from that alone which word is likeliest (β). Attention (α) comes to the right word later. How sure the model is grows with attention or after it." />
        </p>
        <p>
          If every text holds the same words, which words are there does not say which goes with which. In the training
          above β and α stay low, attention settles on other words, and the <Term word="loss">loss</Term> falls a little
          all the same. If attention is held until step 60 and then let go, it finds the right words. Begun from other
          random numbers (the seeds 0 to 4), three of five find them without the hold, and five of five with it.
        </p>
        <ul class="ways">
          <li>
            <a href="#/story">The story</a>:{" "}
            {source.kind === "served" ? "every experiment" : "every experiment of this report"}, its claims and what was
            measured.
          </li>
          <li>
            <a href="#/toy">The toy gate</a>: a system with three parameters, drawn in the plane of two numbers, with
            equations.
          </li>
          <li>
            <a href="#/play">The playground</a>: choose a task and a model, hold attention, show it to a room.
          </li>
          <li>
            <a href="#/play?task=own">Texts of your own</a>: which words will attention come to? Told before any
            training, then trained.
          </li>
        </ul>
        {engine.there && (
          <details class="lesson" open={lesson_open} onToggle={event => (lesson_open = event.currentTarget.open)}>
            <summary>A lesson of twenty minutes, in five links</summary>
            <p>
              Begin with this page (3 minutes), and let the class vote on its question. Each part opens without the
              controls that it does not need, and leads to the next one; the browser's Back returns here.
            </p>
            <ol>
              {lesson.map(({ title, minutes, link, ask }) => (
                <li>
                  <a href={link}>{title}</a> ({minutes} minutes). {ask}
                </li>
              ))}
            </ol>
            <details class="teacher">
              <summary>For the teacher: what to say, and what there is to see</summary>
              <div dangerouslySetInnerHTML={{ __html: text_of_lesson }} />
            </details>
          </details>
        )}
      </section>
    </div>
  );
}

function Pair() {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [player] = useState(() => new Player<State>(() => redraw(undefined)));
  const [hold, set_hold] = useState(0);
  const still = useMemo(() => matchMedia("(prefers-reduced-motion: reduce)").matches, []);
  const state = { ...first, ...pair.state, ...front_door.state, hold };
  useEffect(() => {
    player.pace = 20; // slow enough to follow
    player.trains = false;
    void player.load(
      String(hold),
      state,
      ["", state.beside].map((more, i) => ({ plan: () => plan_of(state, more), title: i ? "more words" : "" })),
      0,
    );
    if (!still || hold > 0) void player.play();
  }, [hold]);
  useEffect(() => () => player.end(), []);
  const { trainings, at, playing, total } = player;
  const link = new URLSearchParams(
    Object.entries(words_of(state)).flatMap(([word, value]) => (value === undefined ? [] : [[word, String(value)]])),
  );
  return (
    <section class="pair-live" aria-label="Two models that learn">
      <div class="transport">
        <button
          type="button"
          class="main"
          disabled={player.refused}
          onClick={() => (playing ? player.pause() : void player.play())}
        >
          {playing ? "Pause" : at > 0 && at >= player.last ? "Replay" : "Play"}
        </button>
        <button
          type="button"
          aria-pressed={hold > 0}
          disabled={player.refused}
          onClick={() => set_hold(hold > 0 ? 0 : held_until)}
        >
          Hold attention until step {held_until}
        </button>
        <output class="value" data-step={at} data-loading={player.loading ? "yes" : "no"}>
          step {at} of {total}
        </output>
        <a href={`#/play?${link}`}>Change it in the playground</a>
      </div>
      <p class="problem" role="alert">
        {player.trouble}
      </p>
      <div class="sides">
        {sides.map(({ title, says }, i) => (
          <section aria-label={title}>
            <h2>{title}</h2>
            <p class="soft">{says}</p>
            <Side training={trainings[i]} at={at} hold={hold} />
          </section>
        ))}
      </div>
      <p class="stages" role="status">
        {trainings.length === 2 && !player.loading && <Explained text={told(trainings, at, hold)} />}
      </p>
      {player.known > player.reached && (
        <p class="soft">
          These two were trained by the same engine when the page was made. With attention held, and in the playground,
          they are trained in this browser.
        </p>
      )}
    </section>
  );
}

function Side({ training, at, hold }: { training: Training | undefined; at: number; hold: number }) {
  const screen = useScreen();
  const curves = useMemo<Curve[]>(
    () =>
      task.metrics.map(metric => {
        const series = training?.series.get(metric) ?? { steps: [], values: [] };
        const name = names[metric] ?? metric;
        // As far as it has been played.
        const seen = series.steps.filter(step => step <= at).length;
        return { name, group: name, steps: series.steps.slice(0, seen), values: series.values.slice(0, seen) };
      }),
    [training, training?.step, at],
  );
  const marks = useMemo(() => (hold > 0 ? [{ step: hold, says: "attention is let go" }] : []), [hold]);
  const look = training?.look_at(at);
  if (!training || !look) return <div class="room" />;
  const [, rows, columns] = look.shape;
  return (
    <div class="side">
      <div class="map-holder" style={{ aspectRatio: `${columns} / ${rows}` }}>
        <Heatmap
          values={look.alpha}
          offset={0}
          rows={rows}
          columns={columns}
          most={1}
          label={`Attention at step ${look.step}: a row for each word that is written, a column for each word that was read`}
          pointed={undefined}
          point={() => {}}
        />
      </div>
      <Lines
        curves={curves}
        label="share that is right"
        now={at}
        range={unit}
        steps={training.steps}
        marks={marks}
        height={screen.wide ? 210 : 130}
        shown={shown}
      />
    </div>
  );
}

// What has happened so far, in words.
function told(trainings: Training[], at: number, hold: number): string {
  const one = (training: Training) => {
    const step = (stage: { metric: string; level: number }) => {
      const found = training.step_of(stage.metric, stage.level);
      return found !== undefined && found <= at ? found : undefined;
    };
    const words = step(task.knowledge!),
      places = step(task.attention!);
    if (words === undefined && places === undefined) return `neither the words (β) nor where to look (α) by step ${at}`;
    if (places === undefined) return `the words (β) from step ${words}, and not where to look (α) by step ${at}`;
    return `the words (β) from step ${words ?? "?"}, where to look (α) from step ${places}`;
  };
  const held =
    hold > 0
      ? at < hold
        ? ` Attention is held uniform until step ${hold}: until then attention cannot move.`
        : ` Attention was held uniform until step ${hold}, and then let go.`
      : "";
  return `With the same 20 words: ${one(trainings[0]!)}. With 20 of 30: ${one(trainings[1]!)}.${held}`;
}
