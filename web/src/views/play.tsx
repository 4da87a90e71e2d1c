// The playground: a training that is played, paused, stepped, rewound to the same start and scrubbed through, with one
// beside it that differs in a setting. The engine trains in a worker; what is shown is what it said on the way.
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { change_address, read_address, useAddress, write_address } from "../address";
import type { Lane } from "../engine/lane";
import { Figure } from "../figure";
import { Lines, type Curve, type Mark } from "../lines";
import { PooledCurve } from "../own/curve";
import { Compared, Predicted } from "../own/forecast";
import { OwnPanel } from "../own/panel";
import { PredictedWidth } from "../own/width";
import { use_own } from "../own/data";
import { Attention } from "../play/attention";
import { TimeAxis } from "../play/axis";
import { Player } from "../play/player";
import { Settings } from "../play/settings";
import { Share } from "../play/share";
import { misread_in, owns, plan_of, read_state, task_of, title_of, words_of, type State } from "../play/state";
import { acts, labels, type Task } from "../play/tasks";

const paces = [
  { pace: 10, title: "10 steps a second" },
  { pace: 50, title: "50 steps a second" },
  { pace: 200, title: "200 steps a second" },
  { pace: Infinity, title: "as fast as it goes" },
];

// What another training follows from.
function root_of(state: State): string {
  return JSON.stringify([state.task, state.model, state.seed, state.set, state.act, state.hold, state.from, state.beside]);
}

export function Play() {
  const { view, words } = useAddress();
  const here = useRef(words);
  if (view === "play") here.current = words; // else the page is about to leave, and those words are another view's
  const state = read_state(here.current);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [player] = useState(() => new Player<State>(() => redraw(undefined)));
  const written = useRef(state.step);

  const write_step = useCallback(() => {
    written.current = player.at;
    change_address(words_of({ step: player.at }));
  }, []);
  // A choice is a step of the browser's way back. It is looked at from where the person is, which the address may not say yet.
  const set = (changes: Partial<State>) => change_address(words_of({ step: player.wished, ...changes }), true);

  const own_changes = use_own();
  const root = root_of(state) + own_changes;
  const loading = player.loading || player.shows !== root;
  const still = loading || player.refused; // what stands there is of what was chosen before
  // Before the person can do anything else: what is done next is meant for the new training.
  useLayoutEffect(() => {
    written.current = state.step;
    const wished = ["", ...(state.beside ? [state.beside] : [])].map((more) => ({ plan: () => plan_of(state, more), title: title_of(state, more) }));
    void player.load(root, state, wished, state.step);
  }, [root]);
  useEffect(() => () => player.end(), []);
  // The address tells the step soon after: a browser refuses to write it at every frame.
  useEffect(() => {
    if (still || player.under_way || player.at === written.current) return;
    const timer = setTimeout(write_step, 250);
    return () => clearTimeout(timer);
  }, [player.at, still, player.under_way]);
  // And a step that comes by the address is gone to, before another is written there.
  useLayoutEffect(() => {
    if (state.step === written.current) return;
    written.current = state.step;
    void player.go(state.step);
  }, [state.step]);

  const chosen = task_of(state);
  const misread = misread_in(here.current);
  const { lanes, at, reached, progress, total, last, playing, of = state } = player;
  const task = task_of(of);
  const trains = (name: string) => lanes[0]?.setting("task", "name") === name;
  const curves = useMemo(() => curves_of(lanes, task.metrics), [lanes, progress, task]);
  const losses = useMemo(() => curves_of(lanes, ["train_loss"]), [lanes, progress]);
  const marks = useMemo(() => marks_of(lanes, task), [lanes, progress, task]);
  const failed = lanes.find((lane) => lane.error)?.error;
  const file = `${of.task}-seed-${of.seed}`;
  const step_from = player.wished; // which training may not have come to yet
  const attends = lanes.find((lane) => lane.examples > 0) ?? lanes[0];
  const example = attends?.example(state.example) ?? 0;
  return (
    <>
      <h1>Playground</h1>
      <p>
        {chosen.idea} Train in this browser, go back, change one thing, and train again from the same start.
      </p>
      <Settings state={state} set={set} lane={lanes[0]} />
      {chosen.own === "texts" && <OwnPanel key="texts" own={owns.texts} />}
      {chosen.own === "points" && <OwnPanel key="points" own={owns.points} />}
      {trains("given-texts") && <Predicted lane={lanes[0]!} />}
      {trains("given-points") && <PredictedWidth lane={lanes[0]!} at={at} file={file} />}
      <p class="problem" role="alert">
        {[misread, player.trouble || failed].filter(Boolean).join(" ")}
        {player.refused && lanes.length > 0 && " What stands below is what was there before."}
      </p>
      <div class="transport" role="group" aria-label="Training">
        <button type="button" onClick={() => void player.go(0)} disabled={at === 0 || player.refused}>
          <span aria-hidden="true">|◀ </span>Rewind
        </button>
        <button type="button" class="main" onClick={() => (playing ? player.pause() : void player.play())} disabled={player.refused || (lanes.length === 0 && !loading)}>
          {playing ? <><span aria-hidden="true">|| </span>Pause</> : at > 0 && at >= last ? <><span aria-hidden="true">↻ </span>Replay</> : <><span aria-hidden="true">▶ </span>Play</>}
        </button>
        <button type="button" onClick={() => void player.go(step_from + 1)} disabled={at >= last || player.refused} title="One update of the weights">
          <span aria-hidden="true">▶| </span>Step
        </button>
        {player.every > 1 && (
          <button type="button" onClick={() => void player.go_to_next_look(step_from)} disabled={at >= last || player.refused} title={`Attention is looked at every ${player.every} steps (probe.every)`}>
            <span aria-hidden="true">▶▶| </span>Next look
          </button>
        )}
        <label class="line">
          Speed
          <select
            value={String(player.pace)}
            onChange={(event) => {
              player.pace = Number(event.currentTarget.value);
              redraw(undefined);
            }}
          >
            {paces.map(({ pace, title }) => (
              <option value={String(pace)} selected={pace === player.pace}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <output class="value" data-step={at} data-reached={reached} data-loading={loading ? "yes" : "no"}>
          step {at} of {total}
        </output>
      </div>
      <TimeAxis total={total} at={at} reached={reached} task={chosen} state={state} still={player.refused} set={set} go={(step) => void player.go(step)} />
      {lanes.length > 0 && (
        <>
          <div class="halves">
            <Figure title="What is learned when" file={file} table={() => table_of(curves)}>
              <Lines curves={curves} label="share" now={at} range={unit} steps={total} marks={marks} />
            </Figure>
            <Figure title="Loss" file={`${file}-loss`} table={() => table_of(losses)}>
              <Lines curves={losses} label="loss" now={at} steps={total} />
            </Figure>
          </div>
          {trains("given-points") && <div class={lanes.length > 1 ? "halves" : "whole"}>{lanes.map((lane) => <PooledCurve key={lane.title} lane={lane} at={at} file={file} />)}</div>}
          {lanes.map((lane) => lane.state === "done" && lane.step < lane.steps && (
            <p class="soft">Training{lane.title && ` with ${lane.title}`} ended early, at step {lane.step}: what it was to stop at (train.stop_when) is reached.</p>
          ))}
          {task.attention && <Stages lanes={lanes} task={task} at={at} />}
          {attends!.examples > 1 && (
            <div class="line-of">
              <label class="line">
                Example
                <select value={String(example)} onChange={(event) => change_address(words_of({ example: Number(event.currentTarget.value) }))}>
                  {Array.from({ length: attends!.examples }, (_, i) => (
                    <option value={String(i)} selected={i === example}>
                      {[i + 1, attends!.class_of(i)].filter(Boolean).join(": ")}
                    </option>
                  ))}
                </select>
              </label>
            </div>
          )}
          <div class={lanes.length > 1 ? "halves" : "whole"}>
            {lanes.map((lane) => (lane.examples > 0 ? <Attention key={lane.title} lane={lane} at={at} example={example} /> : <NoAttention key={lane.title} lane={lane} />))}
          </div>
          {trains("given-texts") && lanes.map((lane) => <Compared key={lane.title} lane={lane} at={at} example={example} />)}
          <Share
            lane={lanes[0]!}
            at={at}
            name={file}
            still={still}
            note={task.own ? "A link does not carry your data: who opens it gives their own. The spec holds them." : ""}
            link={() => {
              write_step();
              return location.href.split(/[?#]/)[0] + write_address(read_address());
            }}
          />
        </>
      )}
    </>
  );
}

const unit: [number, number] = [0, 1];

function curves_of(lanes: Lane[], metrics: string[]): Curve[] {
  return lanes.flatMap((lane, i) =>
    metrics.flatMap((metric) => {
      const series = lane.series.get(metric);
      const like = labels[metric] ?? metric;
      const title = like + (lane.title && `, ${lane.title}`);
      return series ? [{ name: title, group: title, ...series, like, dashed: i > 0 }] : [];
    }),
  );
}

function table_of(curves: Curve[]) {
  return { columns: ["line", "step", "value"], rows: curves.flatMap((curve) => curve.steps.map((step, i) => [curve.name, step, curve.values[i] ?? null])) };
}

// Where each run reaches the two stages, and where what was done to its attention began and ended; what all of them share is
// said once.
function marks_of(lanes: Lane[], task: Task): Mark[] {
  const all: Mark[] = [];
  for (const lane of lanes) {
    const mark = (step: number, says: string) => {
      if (!all.some((other) => other.step === step && other.says === says)) all.push({ step, says: says + (lane.title && `, ${lane.title}`) });
    };
    for (const stage of [task.knowledge, task.attention]) {
      const step = stage && lane.step_of(stage.metric, stage.level);
      if (stage && step !== undefined) mark(step, stage.says);
    }
    for (const one of lane.interventions) {
      const act = acts.find(({ word, is }) => one[word] === is);
      if (act && Number(one.from) > 0) mark(Number(one.from), `attention is ${act.title}`);
      if (act && one.until !== undefined) mark(Number(one.until), act.ends);
    }
  }
  return all;
}

// The same in words.
function Stages({ lanes, task, at }: { lanes: Lane[]; task: Task; at: number }) {
  const told = (lane: Lane) => {
    if (lane.examples === 0) return "this model has no attention";
    return [task.knowledge, task.attention]
      .filter((stage) => stage !== undefined && lane.series.has(stage.metric))
      .map((stage) => {
        const step = lane.step_of(stage!.metric, stage!.level);
        return `${stage!.says}${step === undefined || step > at ? ": not yet" : ` from step ${step}`}`;
      })
      .join("; ");
  };
  return (
    <p class="stages">
      {lanes.map((lane) => (
        <span>
          {lane.title ? `With ${lane.title}: ` : task.knowledge ? "Two stages: " : "So far: "}
          {told(lane)}.{" "}
        </span>
      ))}
    </p>
  );
}

function NoAttention({ lane }: { lane: Lane }) {
  return (
    <section class="attention">
      <h2>Attention{lane.title && `, with ${lane.title}`}</h2>
      <p class="soft">This model has none.</p>
    </section>
  );
}
