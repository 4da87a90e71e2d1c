// The playground: a training that is played, paused, stepped, rewound to the same start and scrubbed through, with one
// beside it that differs in a setting. The engine trains in a worker; what is shown is what it said on the way.
import { useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { change_address, read_address, useAddress, useWord, write_address } from "../address";
import type { Curve, Mark } from "../curves";
import type { Training } from "../engine/training";
import { Figure } from "../figure";
import { Lines } from "../lines";
import { Compared } from "../own/compared";
import { PooledCurve } from "../own/curve";
import { use_own } from "../own/data";
import { Predicted } from "../own/forecast";
import { OwnPanel } from "../own/panel";
import { PredictedWidth } from "../own/width";
import { Attention, Dots } from "../play/attention";
import { HoldAxis, TimeAxis } from "../play/axis";
import { LessonPart } from "../play/part";
import { Player } from "../play/player";
import { Presenter, present } from "../play/presenter";
import { type Preset, preset_of, presets } from "../play/presets";
import { Settings } from "../play/settings";
import { Share } from "../play/share";
import { first, misread_in, owns, plan_of, read_state, type State, task_of, title_of, words_of } from "../play/state";
import { acts, first_curves, labels, type Task } from "../play/tasks";
import { Transport } from "../play/transport";
import { useScreen } from "../screen";
import type { Source } from "../source";
import { Explained } from "../term";

// What another training follows from.
function root_of(state: State): string {
  return JSON.stringify([
    state.task,
    state.model,
    state.seed,
    state.set,
    state.act,
    state.hold,
    state.from,
    state.beside,
  ]);
}

export function Play({ source }: { source: Source }) {
  const { view, words } = useAddress();
  const presented = words.get("present") === "1";
  const embed = words.get("embed") === "1" || presented;
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
  // A choice is a step of the browser's way back. It is looked at from where the person is, which the address may not
  // say yet.
  const set = (changes: Partial<State>) => change_address(words_of({ step: player.wished, ...changes }), true);

  const own_changes = use_own();
  const root = root_of(state) + own_changes;
  const loading = player.loading || player.shows !== root;
  const still = loading || player.refused; // what stands there is of what was chosen before
  // Before the person can do anything else: what is done next is meant for the new training.
  useLayoutEffect(() => {
    written.current = state.step;
    const wished = ["", ...(state.beside ? [state.beside] : [])].map(more => ({
      plan: () => plan_of(state, more),
      title: title_of(state, more),
    }));
    void player.load(root, state, wished, state.step);
  }, [root]);
  useEffect(() => () => player.end(), []);
  // The address tells the step soon after: a browser refuses to write it at every frame.
  useEffect(() => {
    if (still || player.under_way || player.playing || player.at === written.current) return;
    const timer = setTimeout(write_step, 250);
    return () => clearTimeout(timer);
  }, [player.at, still, player.under_way, player.playing]);
  useEffect(() => {
    if (still || !player.playing) return;
    const timer = setInterval(write_step, 1000);
    return () => clearInterval(timer);
  }, [still, player.playing]);
  // And a step that comes by the address is gone to, before another is written there.
  useLayoutEffect(() => {
    if (state.step === written.current) return;
    written.current = state.step;
    void player.go(state.step);
  }, [state.step]);

  // Fields that cannot be as they are written.
  const [amiss, set_amiss] = useState<ReadonlySet<string>>(new Set());
  const note_amiss = useCallback((field: string, is: boolean) => {
    if (is) player.pause();
    set_amiss(all => new Set([...all].filter(one => one !== field).concat(is ? field : [])));
  }, []);
  player.amiss = amiss.size > 0;
  const stuck = player.stuck;
  const chosen = task_of(state);
  const misread = misread_in(here.current);
  const { trainings, at, reached, progress, total, of = state } = player;
  const task = task_of(of);
  const trains = (name: string) => trainings[0]?.setting("task", "name") === name;
  // A lesson asks before it shows.
  const hidden = here.current.get("hide")?.split(",") ?? [];
  const until = hidden.includes("ahead") ? at : Infinity;
  const curves = useMemo(() => curves_of(trainings, task.metrics, until), [trainings, progress, task, until]);
  const losses = useMemo(() => curves_of(trainings, ["train_loss"], until), [trainings, progress, until]);
  const marks = useMemo(
    () => marks_of(trainings, task, presented).filter(({ step }) => step <= until),
    [trainings, progress, task, until, presented],
  );
  const acted = new Set(
    trainings
      .flatMap(training => training.interventions.flatMap(one => [one.from, one.until]))
      .filter(step => Number(step) > 0),
  ).size;
  const mark_rows =
    acted + (presented ? 0 : trainings.length * [task.knowledge, task.attention].filter(Boolean).length);
  const [chosen_curves, choose_curves] = useWord("curves", first_curves(task).join());
  const shown = useMemo(
    () => new Set(chosen_curves.split(",").map(metric => labels[metric] ?? metric)),
    [chosen_curves],
  );
  const switch_curve = (like: string) => {
    const on = new Set(shown);
    if (!on.delete(like)) on.add(like);
    choose_curves(task.metrics.filter(metric => on.has(labels[metric] ?? metric)).join());
  };
  // Of fields there are many, and none changes while it plays.
  const settings = useMemo(
    () => <Settings state={state} set={set} training={trainings[0]} refusals={player.refusals} amiss={note_amiss} />,
    [root, trainings[0], player.refusals],
  );
  const failed = trainings
    .filter(training => training.error)
    .map(failure_of)
    .join(" ");
  const file = `${of.task}-seed-${of.seed}`;
  const attends = trainings.find(training => training.examples > 0) ?? trainings[0];
  const example = attends?.example(state.example) ?? 0;
  const screen = useScreen();
  const height = screen.wide
    ? Math.max(190, Math.min(440, screen.height - (presented ? (trainings.length > 1 ? 450 : 370) : embed ? 300 : 400)))
    : Math.max(150, Math.min(260, screen.height - (embed ? 480 : 650))) +
      (embed ? 0 : (trainings.length > 1 ? 12 : 6) * mark_rows);
  const preset = preset_of(state);
  const begin = (next: Preset) =>
    change_address({ ...words_of({ ...first, ...next.state }), curves: next.curves?.join() }, true);
  const on_the_way = player.under_way && !loading;
  const idea = (
    <p class="idea">
      <Explained text={preset ? preset.outcome : chosen.idea} />
    </p>
  );
  return (
    <div class="play">
      <div class="play-top">
        <h1>Playground</h1>
        <label class="line">
          <span>Try</span>
          <select
            value={preset?.name ?? ""}
            onChange={event => {
              const next = presets.find(one => one.name === event.currentTarget.value);
              if (next) begin(next);
            }}
          >
            <option value="">your own choice of settings</option>
            {presets.map(one => (
              <option value={one.name} selected={one === preset}>
                {one.title}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          class="quiet present"
          onClick={present}
          title="To show it to a room: the training alone, with a key for everything"
        >
          Present
        </button>
      </div>
      {presented && <h2 class="shown-as">{preset?.title ?? chosen.title}</h2>}
      <p class="problem" role="alert">
        {[misread, player.trouble || failed].filter(Boolean).join(" ")}
        {player.refused && trainings.length > 0 && " What stands below is what was there before."}
        {amiss.size > 0 && " What is written under Settings cannot be: correct it there, to train on or to share."}
      </p>
      {chosen.own && idea}
      {chosen.own === "texts" && <OwnPanel key="texts" own={owns.texts} />}
      {chosen.own === "points" && <OwnPanel key="points" own={owns.points} />}
      {trains("given-texts") && <Predicted training={trainings[0]!} />}
      {trains("given-points") && <PredictedWidth training={trainings[0]!} at={at} file={file} />}
      <section class="stage" aria-label="Training">
        <Transport player={player} redraw={() => redraw(undefined)} />
        <TimeAxis total={total} at={at} reached={player.known} still={stuck} go={step => void player.go(step)} />
        <HoldAxis total={total} task={chosen} state={state} still={amiss.size > 0} set={set} />
        <p class="soft on-the-way" role="status">
          {on_the_way && `Training in this browser up to step ${player.wished}: step ${reached} so far.`}
          {player.catching_up &&
            `The course is known already and shown. So that it can go on from here, this browser repeats the training: step ${reached} of ${player.wished}.`}
        </p>
        {trainings.length > 0 && (
          <div class={`screen${trainings.length > 1 ? " pair" : ""}`}>
            {trainings.map(training =>
              training.examples > 0 ? (
                <Attention key={training.title} training={training} at={at} example={example} />
              ) : (
                <NoAttention key={training.title} training={training} />
              ),
            )}
            <div class="course">
              <Figure title="What is learned when" file={file} table={() => table_of(curves)}>
                <Lines
                  curves={curves}
                  label="share"
                  now={at}
                  range={unit}
                  steps={total}
                  marks={marks}
                  mark_rows={mark_rows}
                  letters={presented ? 22 : 12}
                  height={height}
                  shown={shown}
                  toggle={switch_curve}
                />
              </Figure>
              {task.attention && <Stages trainings={trainings} task={task} at={at} />}
            </div>
          </div>
        )}
      </section>
      <LessonPart number={Number(here.current.get("lesson"))} />
      {!chosen.own && idea}
      {presented && <Presenter player={player} state={state} hidden={hidden} set={set} begin={begin} />}
      {settings}
      {trainings.length > 0 && (
        <>
          {attends!.examples > 1 && (
            <div class="line-of">
              <label class="line">
                Example
                <select
                  value={String(example)}
                  onChange={event => change_address(words_of({ example: Number(event.currentTarget.value) }))}
                >
                  {Array.from({ length: attends!.examples }, (_, i) => (
                    <option value={String(i)} selected={i === example}>
                      {[i + 1, attends!.class_of(i)].filter(Boolean).join(": ")}
                    </option>
                  ))}
                </select>
              </label>
            </div>
          )}
          <div class="halves more">
            <Figure title="Loss" file={`${file}-loss`} table={() => table_of(losses)}>
              <Lines curves={losses} label="loss" now={at} steps={total} />
            </Figure>
            {trainings.map(
              training =>
                training.examples > 0 && <Dots key={training.title} training={training} at={at} example={example} />,
            )}
          </div>
          {trains("given-points") && (
            <div class={trainings.length > 1 ? "halves" : "whole"}>
              {trainings.map(training => (
                <PooledCurve key={training.title} training={training} at={at} file={file} />
              ))}
            </div>
          )}
          {trainings.map(
            training =>
              training.state === "done" &&
              training.step < training.steps && (
                <p class="soft">
                  Training{training.title && ` with ${training.title}`} ended early, at step {training.step}: what it
                  was to stop at (train.stop_when) is reached.
                </p>
              ),
          )}
          {trains("given-texts") &&
            trainings.map(training => <Compared key={training.title} training={training} at={at} example={example} />)}
          <Share
            training={trainings[0]!}
            at={at}
            name={file}
            still={still || stuck}
            kind={source.kind}
            note={task.own ? "A link does not carry your data: who opens it gives their own. The spec holds them." : ""}
            link={more => {
              write_step();
              const address = read_address();
              for (const word of ["embed", "hide", "lesson", "present"]) address.words.delete(word);
              for (const [word, value] of Object.entries(more)) if (value) address.words.set(word, value);
              return location.href.split(/[?#]/)[0] + write_address(address);
            }}
          />
        </>
      )}
    </div>
  );
}

const unit: [number, number] = [0, 1];

// As far as a step.
function curves_of(trainings: Training[], metrics: string[], until: number): Curve[] {
  return trainings.flatMap((training, i) =>
    metrics.flatMap(metric => {
      const series = training.series.get(metric);
      const like = labels[metric] ?? metric;
      const title = like + (training.title && `, ${training.title}`);
      if (!series) return [];
      const seen = until === Infinity ? series.steps.length : series.steps.filter(step => step <= until).length;
      return [
        {
          name: title,
          group: title,
          steps: series.steps.slice(0, seen),
          values: series.values.slice(0, seen),
          like,
          dashed: i > 0,
        },
      ];
    }),
  );
}

function table_of(curves: Curve[]) {
  return {
    columns: ["line", "step", "value"],
    rows: curves.flatMap(curve => curve.steps.map((step, i) => [curve.name, step, curve.values[i] ?? null])),
  };
}

// Where each run reaches the two stages, and where what was done to its attention began and ended; what all of them
// share is said once. Before a room the stages are said under the curves alone, in large letters.
function marks_of(trainings: Training[], task: Task, presented: boolean): Mark[] {
  const all: Mark[] = [];
  for (const training of trainings) {
    const mark = (step: number, says: string) => {
      if (!all.some(other => other.step === step && other.says === says))
        all.push({ step, says: says + (training.title && `, ${training.title}`) });
    };
    for (const stage of presented ? [] : [task.knowledge, task.attention]) {
      const step = stage && training.step_of(stage.metric, stage.level);
      if (stage && step !== undefined) mark(step, stage.says);
    }
    for (const one of training.interventions) {
      const act = acts.find(({ word, is }) => one[word] === is);
      if (act && Number(one.from) > 0) mark(Number(one.from), `attention is ${act.title}`);
      if (act && one.until !== undefined) mark(Number(one.until), act.ends);
    }
  }
  return all;
}

// Why a training goes no further.
function failure_of({ title, step, error }: Training): string {
  return `Training${title && ` with ${title}`} ${step > 0 ? `stopped at step ${step}` : "cannot begin"}: ${error}`;
}

// The same in words.
function Stages({ trainings, task, at }: { trainings: Training[]; task: Task; at: number }) {
  const told = (training: Training) => {
    if (training.examples === 0) return "this model has no attention";
    return [task.knowledge, task.attention]
      .filter(stage => stage !== undefined && training.series.has(stage.metric))
      .map(stage => {
        const step = training.step_of(stage!.metric, stage!.level);
        return `${stage!.says}${step === undefined || step > at ? ": not yet" : ` from step ${step}`}`;
      })
      .join("; ");
  };
  return (
    <p class="stages">
      {trainings.map(training => (
        <span>
          {training.title ? `With ${training.title}: ` : task.knowledge ? "Two stages: " : "So far: "}
          <Explained text={`${told(training)}. `} />
        </span>
      ))}
    </p>
  );
}

function NoAttention({ training }: { training: Training }) {
  return (
    <section class="attention">
      <h2>Attention{training.title && `, with ${training.title}`}</h2>
      <p class="soft">This model has none.</p>
    </section>
  );
}
