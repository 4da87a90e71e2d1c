// What of a training is shown as arcs: one example, at one look.
import { type Look, type Looks, plain } from "../engine/looks";
import { act_of, changed_head } from "../play/acts";
import type { Seen } from "./arcs";

// The example that shows most: a text that something decides, else the one whose words are most evenly mixed.
export function example_of(training: Looks): number {
  if (training.labels.length > 0) return training.example(-1);
  // How often two of its words are the same.
  const sameness = training.source
    .slice(0, training.examples)
    .map(tokens => tokens.reduce((sum, token) => sum + tokens.filter(one => one === token).length, 0));
  return Math.max(0, sameness.indexOf(Math.min(...sameness)));
}

// One example of a look: of a head, where there are several.
export function seen_in(causal: boolean, training: Looks, look: Look, example: number, head: string): Seen {
  const [, rows, columns] = look.shape;
  const offset = example * rows * columns;
  const inputs = Array.from({ length: columns }, (_, i) => plain(training.input(example, i)));
  const outputs =
    rows === 1
      ? [training.class_of(example) || "?"]
      : (training.target[example]?.slice(0, rows).map(token => plain(training.output_word(token))) ?? inputs);
  // The held map that is kept is of the last layer. Of an earlier one it is what the hold makes of it.
  const own = training.heads_at(look.step)?.heads.get(head);
  const earlier = head.split(".")[1] !== training.heads.at(-1)?.split(".")[1];
  const held = look.held && !(earlier && own) ? look.alpha : (own ?? look.alpha);
  const weights = held.slice(offset, offset + rows * columns);
  if (look.held && causal && earlier && ["", head].includes(changed_head(training.interventions)))
    hold(weights, columns, act_of(training.interventions[0]!)?.name);
  return {
    inputs,
    outputs,
    weights,
    right: (row, column) =>
      !causal
        ? (training.truth?.[offset + row * columns + column] ?? 0) > 0
        : head.startsWith("layer.1.")
          ? column === row - 1
          : column <= row && inputs[column - 1] === inputs[row],
  };
}

// What a hold makes of a causal map: a row divides 100 % among the columns up to its own.
function hold(weights: Float32Array, columns: number, act: string | undefined) {
  weights.forEach((_, i) => {
    const row = Math.floor(i / columns),
      column = i % columns;
    if (act === "ablate") weights[i] = 0;
    else if (act === "uniform") weights[i] = column <= row ? 1 / (row + 1) : 0;
    else if (act === "previous") weights[i] = Number(column === Math.max(0, row - 1));
    else if (act === "first") weights[i] = Number(column === 0);
  });
}
