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
import { owns, plan_of, read_state, task_of, words_of, type State } from "../play/state";
import { acts, labels, words_for, type Task } from "../play/tasks";

const paces = [
  { pace: 10, title: "10 steps a second" },
  { pace: 50, title: "50 steps a second" },
  { pace: 200, title: "200 steps a second" },
  { pace: Infinity, title: "as fast as it goes" },
];

// What another training follows from.
function root_of(state: State): string {
  return JSON.stringify([state.task, state.model, state.seed, state.set, state.act, state.hold, state.beside]);
}

export function Play() {
  const { words } = useAddress();
  const state = read_state(words);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [player] = useState(() => new Player(() => redraw(undefined)));
  const written = useRef(state.step);

  const write_step = useCallback(() => {
    written.current = player.at;
    change_address(words_of({ step: player.at }));
  }, []);
  // A choice is a step of the browser's way back. It is looked at from where the person is, which the address may not say yet.
  const set = (changes: Partial<State>) => change_address(words_of({ step: player.wished, ...changes }), true);

  const own_changes = use_own();
  const root = root_of(state) + own_changes;
  const loading = player.loading || player.shows !== root; // then what stands there is still of what was chosen before
  // Before the person can do anything else: what is done next is meant for the new training.
  useLayoutEffect(() => {
    written.current = state.step;
    const plans = [{ plan: plan_of(state), title: "" }, ...(state.beside ? [{ plan: plan_of(state, state.beside), title: state.beside.replace(/^([^=]*)=/, (_, name: string) => words_for(name).toLowerCase() + " ") }] : [])];
    void player.load(root, plans.flatMap(({ plan, title }) => (plan ? [{ plan, title }] : [])), state.step);
  }, [root]);
  useEffect(() => () => player.pause(), []);
  // The address tells the step soon after: a browser refuses to write it at every frame.
  useEffect(() => {
    if (player.loading || player.at === written.current) return;
    const timer = setTimeout(write_step, 250);
    return () => clearTimeout(timer);
  }, [player.at, player.loading]);
  // And a step that comes by the address is gone to, before another is written there.
  useLayoutEffect(() => {
    if (state.step === written.current) return;
    written.current = state.step;
    void player.go(state.step);
  }, [state.step]);

  const task = task_of(state);
  const { lanes, at, reached, progress, total, last, playing } = player;
  const trains = (name: string) => lanes[0]?.setting("task", "name") === name; // which may be what was chosen before
  const curves = useMemo(() => curves_of(lanes, task.metrics), [lanes, progress, task]);
  const losses = useMemo(() => curves_of(lanes, ["train_loss"]), [lanes, progress]);
  const marks = useMemo(() => marks_of(lanes[0], task, state), [lanes, progress, task, state.hold, state.act]);
  const failed = lanes.find((lane) => lane.error)?.error;
  const file = `${state.task}-seed-${state.seed}`;
  const example = lanes[0]?.example(state.example) ?? 0;
  return (
    <>
      <h1>Playground</h1>
      <p>
        {task.idea} Train in this browser, go back, change one thing, and train again from the same start.
      </p>
      <Settings state={state} set={set} lane={lanes[0]} />
      {task.own === "texts" && <OwnPanel key="texts" own={owns.texts} />}
      {task.own === "points" && <OwnPanel key="points" own={owns.points} />}
      {trains("given-texts") && <Predicted lane={lanes[0]!} />}
      {trains("given-points") && <PredictedWidth lane={lanes[0]!} at={at} file={file} />}
      <p class="problem" role="alert">
        {player.trouble || failed || ""}
      </p>
      <div class="transport" role="group" aria-label="Training">
        <button type="button" onClick={() => void player.go(0)} disabled={at === 0}>
          <span aria-hidden="true">|◀ </span>Rewind
        </button>
        <button type="button" class="main" onClick={() => (playing ? player.pause() : void player.play())} disabled={lanes.length === 0}>
          {playing ? <><span aria-hidden="true">|| </span>Pause</> : at > 0 && at >= last ? <><span aria-hidden="true">↻ </span>Replay</> : <><span aria-hidden="true">▶ </span>Play</>}
        </button>
        <button type="button" onClick={() => void player.go(at - (at % player.every) + player.every)} disabled={at >= last} title={`${player.every} steps further`}>
          <span aria-hidden="true">▶| </span>Step
        </button>
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
      <TimeAxis total={total} at={at} reached={reached} state={state} set={set} go={(step) => void player.go(step)} />
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
          {task.attention && <Stages lanes={lanes} task={task} at={at} />}
          {lanes[0]!.examples > 1 && (
            <div class="line-of">
              <label class="line">
                Example
                <select value={String(example)} onChange={(event) => change_address(words_of({ example: Number(event.currentTarget.value) }))}>
                  {Array.from({ length: lanes[0]!.examples }, (_, i) => (
                    <option value={String(i)} selected={i === example}>
                      {[i + 1, lanes[0]!.class_of(i)].filter(Boolean).join(": ")}
                    </option>
                  ))}
                </select>
              </label>
            </div>
          )}
          <div class={lanes.length > 1 ? "halves" : "whole"}>
            {lanes.map((lane) => (
              <Attention key={lane.title} lane={lane} at={at} example={example} />
            ))}
          </div>
          {trains("given-texts") && lanes.map((lane) => <Compared key={lane.title} lane={lane} at={at} example={example} />)}
          <Share
            lane={lanes[0]!}
            at={at}
            name={file}
            note={task.own ? "A link does not carry your data: who opens it gives their own. The spec holds them." : ""}
            link={() => {
              write_step();
              return location.href.split("#")[0] + write_address(read_address());
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
      const title = (labels[metric] ?? metric) + (lane.title && `, ${lane.title}`);
      return series ? [{ name: title, group: title, ...series, dashed: i > 0 }] : [];
    }),
  );
}

function table_of(curves: Curve[]) {
  return { columns: ["line", "step", "value"], rows: curves.flatMap((curve) => curve.steps.map((step, i) => [curve.name, step, curve.values[i] ?? null])) };
}

// Where the two stages are reached, and where what was done to attention ended.
function marks_of(lane: Lane | undefined, task: Task, state: State): Mark[] {
  if (!lane) return [];
  const all: Mark[] = [];
  for (const stage of [task.knowledge, task.attention]) {
    const step = stage && lane.step_of(stage.metric, stage.level);
    if (stage && step !== undefined) all.push({ step, says: stage.says });
  }
  if (state.hold > 0) all.push({ step: state.hold, says: acts.find((act) => act.name === state.act)!.ends });
  return all;
}

// The same in words.
function Stages({ lanes, task, at }: { lanes: Lane[]; task: Task; at: number }) {
  const told = (lane: Lane) =>
    [task.knowledge, task.attention]
      .filter((stage) => stage !== undefined)
      .map((stage) => {
        const step = lane.step_of(stage.metric, stage.level);
        return `${stage.says}${step === undefined || step > at ? ": not yet" : ` from step ${step}`}`;
      })
      .join("; ");
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
