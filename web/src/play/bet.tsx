// A bet before a training of the playground is played: on the step of each of its two stages.
import { change_address } from "../address";
import { role_colour } from "../roles";
import { Bets } from "../start/bets";
import type { Curve } from "../start/flags";
import type { Task } from "./tasks";

// A flag for each stage of a task, in the colour of its curve.
export function flags_of(task: Task): Curve[] {
  const stages = [
    { stage: task.knowledge, ...(task.knowledge?.attends && { attends: true as const }) },
    { stage: task.attention, attends: true as const },
  ];
  return stages.flatMap(({ stage, ...drawn }) =>
    stage
      ? [
          {
            metric: stage.metric,
            name: stage.says,
            means: stage.says,
            colour: role_colour(stage.metric),
            ...drawn,
            flag: { level: stage.level, asks: `At which step: ${stage.says}?`, short: stage.says, what: stage.what },
          },
        ]
      : [],
  );
}

// The steps that an address has for the stages of a task, by their metrics.
export function bets_in(text: string | null, task: Task): Map<string, number> {
  const steps = (text ?? "").split(",");
  return new Map(
    flags_of(task).flatMap(({ metric }, i) => (/^\d{1,9}$/.test(steps[i] ?? "") ? [[metric, Number(steps[i])]] : [])),
  );
}

export function Bet({
  task,
  text,
  total,
  closed,
}: {
  task: Task;
  text: string | null;
  total: number;
  closed: boolean;
}) {
  const flags = flags_of(task),
    bets = bets_in(text, task);
  if (flags.length === 0 || total === 0) return null;
  return (
    <details class="bet-first">
      <summary>Bet before you play</summary>
      <p class="soft">
        {closed
          ? "The bets are closed: this training has begun. Rewind to bet again."
          : "Each curve has a level. At which step will it first pass this level? Put a flag on that step, then press Play. Then a sentence below the curves has the distance of each bet."}
      </p>
      <Bets
        flags={flags}
        bets={flags.map(({ metric }) => bets.get(metric))}
        total={total}
        closed={closed}
        set={steps =>
          change_address({ bet: steps.some(step => step !== undefined) ? steps.map(step => step ?? "").join() : "" })
        }
      />
    </details>
  );
}
