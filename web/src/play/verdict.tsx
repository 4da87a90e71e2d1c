// What came first in a training of the playground, what a change did, and why: as on Start.
import { reason_of, verdict } from "../start/told";
import { Explained } from "../term";
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
  const why = task.reason && !(other && !untouched) ? reason_of(task.reason, flags, untouched ?? training, at) : "";
  return (
    <div class="play-verdict">
      <p role="status">
        <strong>{says}</strong>
      </p>
      {why && (
        <p>
          <b>{untouched ? "Why, without the change?" : "Why?"}</b> <Explained text={why} />{" "}
          <a href="#/toy">The smallest case</a>
        </p>
      )}
    </div>
  );
}
