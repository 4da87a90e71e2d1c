// What came first in a training of the playground, what a change did, and why: as on Start. Before it is trained, what to
// do; and when it is, the change that tests the reason.
import type { Training } from "../engine/training";
import { came_at } from "../start/effect";
import type { Curve } from "../start/flags";
import { ordered, verdict } from "../start/told";
import { ToldWhy } from "../start/told_why";
import { why_of } from "../start/why";
import { Explained } from "../term";
import { head_title } from "./attention";
import { flags_of } from "./bet";
import type { Player } from "./player";
import { ghost, type State } from "./state";
import type { Task } from "./tasks";

interface Props {
  player: Player<State>;
  task: Task;
  bets: Map<string, number>; // the step of each stage's metric
  hold_uniform: (of: string, until: number) => void;
}

export function Verdict({ player, task, bets, hold_uniform }: Props) {
  const { trainings, at } = player;
  const [training] = trainings,
    other = trainings[1],
    untouched = player.of?.beside === ghost ? other : undefined;
  const flags = flags_of(task);
  if (!training || flags.some(({ metric }) => !training.series.has(metric))) return null;
  if (at === 0)
    return <ToDo flags={flags} two={other !== undefined && !untouched} tested={task.reason?.account !== undefined} />;
  const steps = flags.map(({ metric }) => bets.get(metric));
  const first = verdict(flags, training, untouched, steps, at);
  const says = other && !untouched ? `Solid: ${first} Dashed: ${verdict(flags, other, undefined, [], at)}` : first;
  const why = task.reason && !(other && !untouched) ? why_of(task.reason, flags, training, untouched, at) : undefined;
  const test = other || player.playing || !task.reason?.account ? undefined : test_of(task, flags, training, at);
  return (
    <div class="play-verdict">
      <p role="status">
        <strong>{says}</strong>
      </p>
      <ToldWhy why={why} />
      {test && (
        <p class="test">
          <b>Test it.</b> If this reason is right, {test.expects}.{" "}
          <button type="button" onClick={() => hold_uniform(test.of, test.until)}>
            {`Hold ${test.of ? head_title(test.of) : "attention"} uniform until step ${test.until}, and train again`}
          </button>
        </p>
      )}
    </div>
  );
}

function ToDo({ flags, two, tested }: { flags: Curve[]; two: boolean; tested: boolean }) {
  const [words, looking] = flags.map(({ flag }) => flag!.what);
  return (
    <p class="play-verdict to-do">
      <b>What to do.</b>{" "}
      <Explained
        text={
          two
            ? "Press Play, and compare the solid run with the dashed run: which comes earlier, and why?"
            : looking
              ? `${ordered(flags) ? `Which comes first: ${words}, or ${looking}?` : `When do these come: ${words}, and ${looking}?`} Bet, then press Play.${tested ? " Afterwards a button below the curves changes attention, to test the reason." : ""}`
              : `When does this come: ${words}? Bet, then press Play.`
        }
      />
    </p>
  );
}

// A hold that tests the reason, if all levels were passed. It lasts for half as many steps again.
function test_of(task: Task, flags: Curve[], training: Training, at: number) {
  const came = flags.map(({ metric, flag }) => came_at(training, metric, flag!.level, at));
  const last = Math.max(...came.map(step => step ?? Infinity));
  const until = Math.ceil((1.5 * last) / 10) * 10;
  const layers = task.reason!.account === "layer-by-layer";
  if (!layers && came.length > 1 && came[0]! >= came[1]!) return undefined; // another order than the reason's
  if (!(until < training.steps) || (layers && training.heads.length !== 2)) return undefined;
  const [words, looking] = flags.map(({ flag }) => flag!.what);
  return layers
    ? { of: training.heads[0]!, until, expects: `${looking} waits while the head of layer 1 is held` }
    : {
        of: "",
        until,
        expects: `a hold does not stop the model from learning ${words}, and ${looking} follows after the release`,
      };
}
