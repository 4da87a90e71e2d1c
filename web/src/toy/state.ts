// The toy gate's start, variant and descent, as the address has them, and the course that the engine says they take.
import { change_address, read_address } from "../address";
import type { Toy as Answer, ToyPoint } from "../engine/engine";
import { told_of, type Variant } from "../story/toy";

interface Numbers {
  D: number;
  gate: number; // p, or the bounded gate's logit of it
  sum: number; // β₀ + β₁ at the start
  rate: number;
  until: number;
}
export type State = Numbers & Variant;
export type Course = Answer & { of: State };

// A variant begins with its first story.
function first_of(variant: Variant): Numbers {
  const { stories, until } = told_of(variant);
  const { D, gate, sum } = stories[0]!;
  return { D, gate, sum, rate: 0.0625, until };
}

const named = ["D", "gate", "sum", "rate", "until", "logistic"];

// Without any word the gate is bounded. Links with words of their own, and none for this, are of the unbounded gate.
export function read_state(words: URLSearchParams): State {
  const bounded = words.has("bounded") ? words.get("bounded") === "yes" : !named.some(name => words.has(name));
  const variant = { bounded, logistic: words.get("logistic") === "yes" };
  const first = first_of(variant);
  const number = (name: keyof Numbers) => {
    const value = Number(words.get(name) ?? first[name]);
    return Number.isFinite(value) ? value : first[name];
  };
  const rate = Math.min(0.5, Math.max(0.0005, number("rate")));
  const within = (name: keyof Numbers) => Math.max(-farthest, Math.min(farthest, number(name)));
  return {
    D: within("D"),
    gate: within("gate"),
    sum: variant.logistic ? within("sum") : 0,
    rate,
    until: Math.min(most_time({ ...variant, rate }), Math.max(0.1, number("until"))),
    ...variant,
  };
}

// The longest time. A bounded gate, or a logistic loss, can need hundreds to come back from a mistake. Descent takes
// 20 000 steps at most.
export function most_time({ bounded, logistic, rate }: Variant & { rate: number }): number {
  return bounded || logistic ? Math.max(10, Math.min(1000, 20_000 * rate)) : 10;
}

// What an address asks for that is drawn otherwise; "" where all is as it says.
export function misread_in(words: URLSearchParams, state: State): string {
  const told: string[] = [];
  for (const name of ["D", "gate", "sum", "rate", "until"] as const) {
    const given = words.get(name);
    if (given !== null && !(Math.abs(Number(given) - state[name]) < 1e-9) && (name !== "sum" || state.logistic))
      told.push(`The address says ${name} "${given}", which cannot be drawn: it is ${state[name]} here.`);
  }
  return told.join(" ");
}

// Changes are made to what the address says now, which may be ahead of what is drawn.
export function change_toy(changes: Partial<State>, step = false) {
  const next = { ...read_state(read_address().words), ...changes };
  const first = first_of(next);
  const word = (name: keyof Numbers) => (next[name] === first[name] ? undefined : +next[name].toPrecision(6));
  const words = {
    D: word("D"),
    gate: word("gate"),
    sum: next.logistic ? word("sum") : undefined,
    rate: word("rate"),
    until: word("until"),
    logistic: next.logistic ? "yes" : undefined,
  };
  const as_at_first = next.bounded && Object.values(words).every(one => one === undefined);
  change_address({ ...words, bounded: as_at_first ? undefined : next.bounded ? "yes" : "no" }, step);
}

const farthest = 100; // from 0 that a start may be
const most_dots = 2000; // of descent, that are drawn
const edge = 0.02; // how near 0 and 1 p is when its logit is taken

export const sigmoid = (a: number) => 1 / (1 + Math.exp(-a));
export function logit(p: number): number {
  const inside = Math.min(1 - edge, Math.max(edge, p));
  return Math.log(inside / (1 - inside));
}
// The start's p.
export const attention_of = ({ bounded, gate }: State) => (bounded ? sigmoid(gate) : gate);

export const short = (x: number) => String(+x.toPrecision(3)).replace("-", "−");

// Another variant from the same start: the attention on the key stays what it is, and so does the time where it was
// chosen.
export function change_variant(state: State, variant: Variant) {
  const p = attention_of(state);
  const gate = variant.bounded ? logit(p) : p;
  const until = state.until === first_of(state).until ? first_of(variant).until : state.until;
  change_toy({ ...variant, gate: state.bounded === variant.bounded ? state.gate : +gate.toFixed(3), until }, true);
}

// The separatrix is D = −root p.
export const root = Math.SQRT2;

export interface Frame {
  D: number;
  gate: number;
}

// How far D goes from 0 where nothing asks for more.
export const narrow = ({ bounded }: Variant) => (bounded ? 8 : 4);

// The plane as it is drawn: wide enough for the start, of the linear gate the separatrix in view.
export function frame_of(state: State): Frame {
  const wide = Math.max(narrow(state), Math.abs(state.D) * 1.3);
  return {
    D: wide,
    gate: Math.max(
      state.bounded ? 4 : 3,
      Math.abs(state.gate) * 1.3,
      state.bounded || state.logistic ? 0 : wide / root,
    ),
  };
}

// The flow as long as it is in the plane.
export function inside_of({ flow, of }: Course, frame: Frame): ToyPoint[] {
  const left = flow.findIndex(([D, gate]) => Math.abs(D) > frame.D || (!of.bounded && Math.abs(gate) > frame.gate));
  return left < 0 ? flow : flow.slice(0, left);
}

// The steps of descent that are drawn: all, or evenly some of them, the last among them.
export function dots_of(course: Course | undefined): ToyPoint[] {
  const all = course?.descent ?? [];
  if (all.length <= most_dots) return all;
  return Array.from({ length: most_dots }, (_, i) => all[Math.round((i * (all.length - 1)) / (most_dots - 1))]!);
}
