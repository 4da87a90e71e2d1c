// Whether a training in which attention was changed fits the account under test: from the steps that have been watched.
import type { Training } from "../engine/training";
import { act_of, act_text, changed_head } from "../play/acts";
import { came_at, lacking, stays, watched_until } from "./effect";
import type { Curve } from "./flags";
import type { Account } from "./reasons";
import { losses_told } from "./rungs_told";

// Each follows a label that ends in a colon.
const accounts: { [account in Account]: string } = {
  "words-first": "the model learns words first, and attention follows them.",
  "layer-by-layer": "the head of layer 2 needs the head of layer 1.",
};

export interface Judged {
  label: string; // "This agrees with the explanation:"
  says: string;
}
interface Finding {
  side: "for" | "against" | "open";
  text: string;
}

const steps_text = (count: number) => `${count} ${count === 1 ? "step" : "steps"}`;

interface Change {
  act: string;
  done: string; // "attention was held uniform"
  of: string; // "layer.1.head.1"; "": all
  from: number;
  until: number;
}

interface Came {
  words: number | undefined;
  looking: number | undefined;
  open: { words: Finding | undefined; looking: Finding | undefined }; // if the next evaluation can withdraw the step
}

function came_of(run: Training, [first, second]: [Curve, Curve], at: number, where: string): Came {
  const step = ({ metric, flag }: Curve) => came_at(run, metric, flag!.level, at);
  const wait = (curve: Curve) => {
    const came = step(curve),
      need = came === undefined ? 0 : lacking(run, curve.metric, came, at);
    if (need <= 0) return undefined;
    const why =
      at < run.steps
        ? `${need} more ${need === 1 ? "evaluation is" : "evaluations are"} needed`
        : `the training ended before the level was kept for ${stays} evaluations`;
    return open(`${curve.flag!.what} passed the level at step ${came}${where}, and ${why}`);
  };
  return { words: step(first), looking: step(second), open: { words: wait(first), looking: wait(second) } };
}

export function account_of(
  account: Account | undefined,
  flags: Curve[],
  training: Training | undefined,
  ghost: Training | undefined,
  at: number,
): Judged | undefined {
  const change = training && change_of(training);
  if (!account || !change || !ghost || flags.length !== 2 || at <= change.from) return undefined;
  const two = flags as [Curve, Curve];
  const came = came_of(training, two, at, ""),
    untouched = came_of(ghost, two, watched_until(ghost, at), " in the untouched training");
  const names = flags.map(({ flag }) => flag!.what) as [string, string];
  const found =
    account === "words-first"
      ? of_words(change, came, untouched, names, at)
      : of_layers(change, came, untouched, names[1], training, ghost, at);
  return judged(account, account === "words-first" ? limit_of(change, came, names) : "", found);
}

// What a change that keeps attention from training cannot show.
function limit_of({ act, from, until }: Change, { words, open }: Came, [what, looking]: [string, string]): string {
  if (!["uniform", "frozen"].includes(act) || words === undefined || words <= from || words > until || open.words)
    return "";
  return `Attention cannot train in these steps, so a delay of ${looking} alone is no evidence. The evidence is that ${what} came at step ${words}.`;
}

// The judgement first, then the explanation, its limit, and each observation.
function judged(account: Account, limit: string, found: Finding[]): Judged | undefined {
  if (found.length === 0) return undefined;
  const on = (side: Finding["side"]) => found.filter(one => one.side === side).map(({ text }) => text);
  const [fits, against, open] = [on("for"), on("against"), on("open")] as [string[], string[], string[]];
  const label =
    fits.length > 0 && against.length > 0
      ? "This agrees with the explanation in part:"
      : against.length > 0
        ? "This contradicts the explanation:"
        : fits.length > 0
          ? "This agrees with the explanation:"
          : "This leaves the explanation undecided:";
  const list = (side: string, texts: string[]) => (texts.length > 0 ? `${side}: ${texts.join("; ")}.` : "");
  const sentences = [
    accounts[account],
    limit,
    list(against.length > 0 ? "For it" : "Here", fits),
    list("Against it", against),
    list("Open", open),
    fits.length + against.length > 0 && "This is one run: another seed can differ.",
  ];
  return { label, says: sentences.filter(Boolean).join(" ") };
}

function change_of(training: Training): Change | undefined {
  const [one] = training.interventions,
    act = one && act_of(one);
  if (!act) return undefined;
  const of = changed_head(training.interventions);
  return {
    act: act.name,
    done: `${of ? "the head" : "attention"} was ${act_text(act.name, Number(one![act.word]))}`,
    of,
    from: Number(one!.from ?? 0),
    until: Math.min(training.steps, Number(one!.until ?? training.steps)),
  };
}

const fits = (text: string): Finding => ({ side: "for", text });
const against = (text: string): Finding => ({ side: "against", text });
const open = (text: string): Finding => ({ side: "open", text });

// Of a change that leaves attention untrained, or trains it alone.
function of_words(change: Change, came: Came, untouched: Came, names: [string, string], at: number): Finding[] {
  const { act, done, from, until } = change;
  const [words, looking] = names;
  const inside = (step: number | undefined) => step !== undefined && step > from && step <= until;
  const end = Math.min(at, until);
  if (act === "alone") {
    if (came.words !== undefined && came.words <= from) return []; // the words were known already
    if (inside(came.looking))
      return [came.open.looking ?? against(`${looking} came at step ${came.looking}, while ${words} were not trained`)];
    if (came.looking === undefined && untouched.looking !== undefined && untouched.looking <= end)
      return [
        untouched.open.looking ??
          open(
            `${looking} did not come while ${done}, and came at step ${untouched.looking} in the untouched training. In copying it did not come with known words, either`,
          ),
      ];
    return [];
  }
  if (act !== "uniform" && act !== "frozen") return [];
  const found: Finding[] = [];
  if (inside(came.words)) found.push(came.open.words ?? fits(`${words} came at step ${came.words}, while ${done}`));
  else if (came.words !== undefined && came.words <= from)
    found.push(open(`${words} came at step ${came.words}, before the change`));
  else if (at < until) found.push(open(`no step of ${words} so far, and the change lasts until step ${until}`));
  else if (untouched.words !== undefined && untouched.words <= until)
    found.push(
      untouched.open.words ??
        against(`${words} did not come while ${done}, and came at step ${untouched.words} in the untouched training`),
    );
  else found.push(open(`${words} did not come by step ${until} in either training`));
  const lag =
    untouched.words !== undefined && untouched.looking !== undefined ? untouched.looking - untouched.words : undefined;
  if (inside(came.words) && came.looking !== undefined && came.looking > until && lag !== undefined && lag > 0) {
    const took = came.looking - until;
    const counts = `${looking} took ${steps_text(took)} after the release, and ${steps_text(lag)} after ${words} in the untouched training`;
    // A control: such steps help on permutations, too, and hardly teach their words (intervene-ktiw-first).
    const sooner = `${counts}. In copying texts that all have the same words, steps under uniform attention helped, too, and taught hardly any words. So this is no evidence for the reason`;
    found.push(came.open.looking ?? untouched.open.looking ?? (took <= lag ? open(sooner) : against(counts)));
  }
  return found;
}

// What a change of the head of layer 1 does to the head of layer 2, which is measured with the change. The loss has to
// agree: it is near as low a rung as in the untouched training, or it is not.
function of_layers(
  { act, done, of, from, until }: Change,
  came: Came,
  untouched: Came,
  looking: string,
  training: Training,
  ghost: Training,
  at: number,
): Finding[] {
  // At the step of the release the head is free already.
  const last = until === training.steps || act === "frozen" ? until : until - 1,
    end = Math.min(at, last);
  if (!of.startsWith("layer.1.") || untouched.looking === undefined || untouched.looking <= from) return [];
  const shows_it = act === "previous"; // to the head of layer 2
  if (!shows_it && !["uniform", "first", "ablate", "frozen"].includes(act)) return [];
  const came_inside = came.looking !== undefined && came.looking > from && came.looking <= last;
  const waits = (shows_it || came_inside ? came.open.looking : undefined) ?? untouched.open.looking;
  if (waits) return [waits];
  const with_loss = (finding: Finding, works: boolean): Finding => {
    const loss = losses_told(training, ghost, end);
    if (!loss) return finding;
    if (loss.as_low === works) return { ...finding, text: `${finding.text}; ${loss.says}` };
    return open(`${finding.text}. Attention and loss disagree: ${loss.says}`);
  };
  const never_came = `${looking} did not come while ${done}, and came at step ${untouched.looking} in the untouched training`;
  if (shows_it) {
    if (came.looking === undefined) return untouched.looking <= end ? [with_loss(against(never_came), false)] : [];
    if (came.looking === untouched.looking) return [open(`${looking} came at step ${came.looking} in both trainings`)];
    const counts = `with the change ${looking} came at step ${came.looking}, in the untouched training at step ${untouched.looking}`;
    return [with_loss(came.looking < untouched.looking ? fits(counts) : against(counts), true)];
  }
  if (came_inside) return [with_loss(against(`${looking} came at step ${came.looking}, while ${done}`), true)];
  if (untouched.looking <= end) return [with_loss(fits(never_came), false)];
  if (untouched.looking > last)
    return [
      open(
        `the change ended at step ${until}, and ${looking} came at step ${untouched.looking} in the untouched training`,
      ),
    ];
  return [
    open(`in the untouched training ${looking} comes at step ${untouched.looking}, and this training is at step ${at}`),
  ];
}
