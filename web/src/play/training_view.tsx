// The training itself: how it is played, its maps of attention, and its curves.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useWord } from "../address";
import type { Training } from "../engine/training";
import { useScreen } from "../screen";
import { act_text } from "./acts";
import { Attention } from "./attention";
import { HoldAxis, TimeAxis } from "./axis";
import { Course } from "./course";
import { Heads } from "./heads";
import { ghost, type State } from "./state";
import type { Task } from "./tasks";
import { Transport } from "./transport";
import type { Playing } from "./use_player";

interface Props {
  playing: Playing;
  state: State;
  chosen: Task; // that of the address
  task: Task; // that of the trainings
  set: (changes: Partial<State>) => void;
  wrong_fields: boolean;
  example: number;
  until: number;
  presented: boolean;
  embedded: boolean;
  transport: boolean; // else its buttons are elsewhere on the page
  bets: Map<string, number>; // the step of each stage's metric
  file: string;
  names?: [string, string] | undefined; // what the two runs are called
}

export function TrainingView({ playing, state, chosen, task, set, wrong_fields, example, transport, ...how }: Props) {
  const { player, loading } = playing;
  const { trainings, at } = player;
  const [map, show] = useWord("map", "");
  const heads = trainings[0]?.heads ?? [];
  const shown = heads.includes(map) ? map : "";
  const held = state.hold > 0 ? state.of || "all" : "";
  // Of what is changed, the training that nothing is done to stays as a ghost: its curves, and no map.
  const change = (changes: Partial<State>) => {
    const held = (changes.hold ?? state.hold) > 0;
    const beside = held ? state.beside || ghost : state.beside === ghost ? "" : state.beside;
    set({ ...changes, beside });
  };
  const hold = (of: string, from: number) =>
    change(of ? { of, hold: player.total, from, step: from } : { of: "", hold: 0, from: 0 });
  const hold_uniform = (of: string, until: number) =>
    change({ act: "uniform", of, from: 0, hold: until, step: player.at });
  const mapped = player.of?.beside === ghost ? trainings.slice(0, 1) : trainings;
  const { wide } = useScreen();
  const [unfolded, unfold] = useState(state.hold > 0);
  const waits = chosen.own !== undefined && trainings.length === 0; // for the person's own data
  const changes = !waits && (
    <HoldAxis total={player.total} task={chosen} heads={heads} state={state} still={wrong_fields} set={change} />
  );
  return (
    <section class="stage" aria-label="Training">
      {transport ? (
        <Controls playing={playing} waits={waits}>
          {wide && changes}
        </Controls>
      ) : (
        wide && changes
      )}
      {trainings.length > 0 && (
        <div class={`screen${mapped.length > 1 ? " pair" : ""}${heads.length > 0 ? " headed" : ""}`}>
          {mapped.map((training, i) =>
            training.examples > 0 ? (
              <Attention
                key={training.title}
                training={training}
                at={at}
                example={example}
                head={shown}
                name={how.names?.[i]}
                menu={mapped.length > 1}
              />
            ) : (
              <NoAttention key={training.title} training={training} />
            ),
          )}
          {!wide && changes && !how.embedded && (
            <details class="to-hold" open={unfolded} onToggle={event => unfold(event.currentTarget.open)}>
              <summary>Change attention</summary>
              {changes}
            </details>
          )}
          <Course player={player} task={task} hold_uniform={hold_uniform} {...how} />
          {heads.length > 0 && (
            <Heads
              training={trainings[0]!}
              at={at}
              total={player.total}
              still={player.stuck || loading}
              example={example}
              shown={shown}
              show={show}
              held={held}
              from={state.from}
              until={state.hold}
              hold={hold}
              act={act_text(state.act, state.by)}
            />
          )}
        </div>
      )}
    </section>
  );
}

// How the training is played, the step that is looked at, and how far it is; `waits` for what it is to train on.
export function Controls(props: { playing: Playing; waits: boolean; children?: ComponentChildren }) {
  const { playing, waits, children } = props;
  const { player, redraw, loading } = playing;
  return (
    <>
      <Transport player={player} redraw={redraw} />
      {!waits && (
        <TimeAxis total={player.total} at={player.at} still={player.stuck} go={step => void player.go(step)} />
      )}
      {children}
      <p class="soft on-the-way" role="status">
        {player.under_way &&
          !loading &&
          `Training in this browser up to step ${player.wished}: step ${player.reached} so far.`}
      </p>
    </>
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
