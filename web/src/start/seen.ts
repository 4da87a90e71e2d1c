// What of a training is shown as arcs: one example, at one look.
import { type Look, type Looks, plain } from "../engine/looks";
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
  const weights = (!look.held && training.heads_at(look.step)?.heads.get(head)) || look.alpha;
  return {
    inputs,
    outputs,
    weights: weights.subarray(offset, offset + rows * columns),
    right: (row, column) =>
      !causal
        ? (training.truth?.[offset + row * columns + column] ?? 0) > 0
        : head.startsWith("layer.1.")
          ? column === row - 1
          : column <= row && inputs[column - 1] === inputs[row],
  };
}
