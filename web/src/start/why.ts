// Why the training on the screen went as it did, and how sure that is: from what was watched of it, and of the untouched
// training beside it.
import type { Training } from "../engine/training";
import { act_of, changed_head } from "../play/acts";
import { account_of, type Judged } from "./account";
import { came_at, untouched_at } from "./effect";
import { type Curve, percent } from "./flags";
import type { Reason } from "./reasons";

export interface Why {
  says: string;
  sure: string[];
  account?: Judged | undefined; // whether the change fits the account under test
}

export function why_of(
  reason: Reason,
  flags: Curve[],
  training: Training | undefined,
  ghost: Training | undefined,
  at: number,
): Why | undefined {
  if (!training || at === 0) return undefined;
  const came = flags.map(({ metric, flag }) => came_at(training, metric, flag!.level, at));
  const all_came = came.every(step => step !== undefined);
  const [change] = training.interventions,
    act = change && act_of(change),
    from = Number(change?.from ?? 0);
  const says: (string | undefined)[] = [];
  if (change && act && at > from && !(all_came && came.every(step => step! <= from))) {
    const layer = changed_head(training.interventions).split(".", 2).join(".");
    says.push(reason.changed[act.name]?.replace("{by}", String(change[act.word])));
    says.push(reason.of_head?.[layer]);
    says.push(after(flags, came, Number(change.until ?? training.steps), ghost, at));
  } else if (all_came) {
    const in_order = came.every((step, i) => i === 0 || came[i - 1]! < step!);
    says.push(in_order ? reason.waits : (reason.otherwise ?? reason.waits));
    says.push(few_of(reason, training, at));
  }
  const told = says.filter(Boolean).join(" ");
  const account = account_of(reason.account, flags, training, ghost, at);
  if (!told && !account) return undefined;
  const sure = [
    reason.ranked && measured(flags[0]!, came[0], training, at),
    reason.measured && `Measured: ${reason.measured}`,
    reason.open && `Open: ${reason.open}`,
  ].filter(text => typeof text === "string");
  return { says: told, sure, account };
}

// How soon looking followed the release, and how soon it followed the words in the untouched training.
function after(
  flags: Curve[],
  came: (number | undefined)[],
  until: number,
  ghost: Training | undefined,
  at: number,
): string | undefined {
  const [words, looking] = came;
  if (words === undefined || looking === undefined || words >= until || looking <= until) return undefined;
  const [ghost_words, ghost_looking] = flags.map(({ metric, flag }) =>
    ghost ? untouched_at(ghost, metric, flag!.level, at) : undefined,
  );
  const [first, second] = flags.map(({ flag }) => flag!.what);
  const untouched =
    ghost_words !== undefined && ghost_looking !== undefined && ghost_looking > ghost_words
      ? ` In the untouched training ${second} came ${ghost_looking - ghost_words} steps after ${first}.`
      : "";
  return `When attention was released, ${first} had come already, and ${second} followed after ${looking - until} steps.${untouched}`;
}

// Answers that are right while attention is still low.
function few_of({ few }: Reason, training: Training, at: number): string | undefined {
  if (!few) return undefined;
  const step = came_at(training, few.metric, few.level, at),
    attention = step === undefined ? undefined : training.value_at(few.attention, step);
  if (step === undefined || typeof attention !== "number" || attention > 0.25) return undefined;
  return `At step ${step} it already answers ${percent(few.level)} of the texts right, with ${percent(attention)} of attention on the keyword. That share of its evidence is enough to decide the answer.`;
}

// The chance of the right word at the step of its flag.
function measured(flag: Curve, came: number | undefined, training: Training, at: number): string | undefined {
  const then = came === undefined ? undefined : training.value_at("knowledge", came),
    share = came === undefined ? undefined : training.value_at(flag.metric, came);
  if (typeof then !== "number" || typeof share !== "number") return undefined;
  const half = came_at(training, "knowledge", 0.5, at);
  return (
    `In this training: at step ${came} the right word speaks most for ${percent(share)} of the written words. Its chance is only ${percent(then)} then, even with all attention on it. ` +
    (half === undefined ? "It has not passed 50 % yet." : `It passes 50 % at step ${half}.`)
  );
}
