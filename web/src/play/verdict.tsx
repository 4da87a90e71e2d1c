// What came first in a training of the playground, what a change did, and why: as on Start.
import { verdict } from "../start/told";
import { ToldWhy } from "../start/told_why";
import { why_of } from "../start/why";
import { flags_of } from "./bet";
import type { Player } from "./player";
import { ghost, type State } from "./state";
import type { Task } from "./tasks";

interface Props {
  player: Player<State>;
  task: Task;
  bets: Map<string, number>; // the step of each stage's metric
}

export function Verdict({ player, task, bets }: Props) {
  const { trainings, at } = player;
  const [training] = trainings,
    other = trainings[1],
    untouched = player.of?.beside === ghost ? other : undefined;
  const flags = flags_of(task);
  if (!training || at === 0 || flags.some(({ metric }) => !training.series.has(metric))) return null;
  const steps = flags.map(({ metric }) => bets.get(metric));
  const first = verdict(flags, training, untouched, steps, at);
  const says = other && !untouched ? `Solid: ${first} Dashed: ${verdict(flags, other, undefined, [], at)}` : first;
  const why = task.reason && !(other && !untouched) ? why_of(task.reason, flags, training, untouched, at) : undefined;
  return (
    <div class="play-verdict">
      <p role="status">
        <strong>{says}</strong>
      </p>
      <ToldWhy why={why} />
    </div>
  );
}
