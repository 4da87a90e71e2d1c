// What can be done to attention from a step until another, what is said of where it ends, and how a spec says it:
// `word` and what it is; where it is nothing, a factor or the head is named there. `of`: "of" names the head.
// An intervention without a row here is shown as its spec has it.
import type { Mark } from "../curves";
import { flat_settings, type Setting, setting_text, type Table } from "../model";

export interface Act {
  name: string;
  title: string;
  ends: string;
  word: string;
  is?: string;
  factor?: true;
  of?: true;
}
export const acts: Act[] = [
  { name: "uniform", title: "held uniform", ends: "attention is released", word: "hold", is: "uniform", of: true },
  {
    name: "truth",
    title: "held at the right words",
    ends: "attention is released",
    word: "hold",
    is: "truth",
    of: true,
  },
  {
    name: "previous",
    title: "held on the word before",
    ends: "attention is released",
    word: "hold",
    is: "previous",
    of: true,
  },
  {
    name: "first",
    title: "held on the first word",
    ends: "attention is released",
    word: "hold",
    is: "first",
    of: true,
  },
  {
    name: "scale",
    title: "scaled",
    ends: "attention is no longer scaled",
    word: "scale",
    factor: true,
    of: true,
  },
  { name: "ablate", title: "ablated", ends: "the head works again", word: "ablate" },
  { name: "frozen", title: "not trained", ends: "attention is trained, too", word: "freeze", is: "attention" },
  { name: "alone", title: "trained alone", ends: "the rest is trained, too", word: "freeze", is: "body" },
];

// The one that an intervention of a spec is.
export function act_of(one: { [word: string]: unknown }): Act | undefined {
  return acts.find(({ word, is }) => (is === undefined ? one[word] !== undefined : one[word] === is));
}

// The head that a change is of; "" for all of them.
export function changed_head([one, other]: { [word: string]: unknown }[]): string {
  const of = String(one?.of ?? one?.ablate ?? "");
  return other === undefined && of.includes(".head.") ? of : "";
}

// The steps at which interventions begin and end; one from step 0 on begins at no step of its own.
export function marks_of_interventions(all: { [word: string]: unknown }[]): Mark[] {
  return all.flatMap(one => {
    const act = act_of(one);
    if (!act) return [];
    return [
      ...(Number(one.from ?? 0) > 0
        ? [{ step: Number(one.from), says: `attention is ${act_text(act.name, Number(one[act.word]))}` }]
        : []),
      ...(one.until === undefined ? [] : [{ step: Number(one.until), says: act.ends }]),
    ];
  });
}

// What is done, in words: "scaled by 4 on the right words".
export function act_text(name: string, by: number): string {
  const { title, factor } = acts.find(act => act.name === name)!;
  return factor ? `${title} by ${by} on the right words` : title;
}

// "layer.2.head.1" as a person reads it: "layer 2, head 1".
const part_text = (of: string) => of.replace(/\.(?=\d)/g, " ").replaceAll(".", ", ");

// An intervention of a spec in words: "layer 2 held uniform until step 60".
function intervention_text(one: Table): string {
  const act = act_of(one);
  const own = (word: string) => !["of", "from", "until"].includes(word);
  const words = Object.keys(one)
    .filter(own)
    .map(word => `${word} ${setting_text(one[word]!)}`);
  const named = one.of ?? (act && act.is === undefined && !act.factor ? one[act.word]! : "");
  const of = part_text(setting_text(named));
  const done = act
    ? `${of || "attention"} ${act_text(act.name, Number(one[act.word]))}`
    : `${words.join(", ")}${of && ` of ${of}`}`;
  const from = Number(one.from ?? 0) > 0 ? ` from step ${one.from}` : "";
  return `${done}${from}${one.until === undefined ? "" : ` until step ${one.until}`}`;
}

export const none = "no intervention";

// All interventions of a spec, in words.
export function interventions_text(all: Setting | undefined): string {
  const each = Array.isArray(all) ? all.map(one => intervention_text(one as Table)) : [];
  return each.join("; ") || none;
}

// The settings of a run as a person reads them: "task.vocab" -> "60", "intervene" -> "layer 2 held uniform".
export function settings_in_words(settings: { [section: string]: Setting }): Map<string, string> {
  const words = flat_settings(settings);
  return words.set("intervene", interventions_text(settings.intervene));
}

// And the interventions that it makes, of a head ("layer.1.head.2") or of all ("") in so many layers.
// Without `until` they last to the end, the last evaluation included.
export function interventions_of(
  name: string,
  of: string,
  from: number,
  until: number | undefined,
  by: number,
  layers: number,
): Table[] {
  const act = acts.find(act => act.name === name)!;
  const lasts = { from, ...(until !== undefined && { until }) };
  if (act.is === undefined && !act.factor) {
    const named = of ? [of] : Array.from({ length: layers }, (_, i) => `layer.${i + 1}`);
    return named.map(head => ({ [act.word]: head, ...lasts }));
  }
  return [{ [act.word]: act.factor ? by : act.is!, ...(act.of && of && { of }), ...lasts }];
}
