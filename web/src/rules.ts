// The predicted plateaus in a drawing of lines.
import * as Plot from "@observablehq/plot";
import type { Rule } from "./line_looks";

export function shape(is: string, attributes: { [name: string]: string | number }): SVGElement {
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", is);
  for (const [name, value] of Object.entries(attributes)) drawn.setAttribute(name, String(value));
  return drawn;
}

// What their names and numbers want beside the curves.
export const rules_room = (rules: Rule[], letters = 12) =>
  Math.max(0, ...rules.map(rule => 8 + 0.56 * letters * rule_text(rule).length));

export const rule_text = ({ value, name }: Rule) => `${name} ${+value.toPrecision(3)}`;

// How far down each name is, so that none is over another: from the lowest rule up, at heights of `y`.
export function rule_names(rules: Rule[], y: (value: number) => number, bottom: number, letters: number) {
  let lowest = bottom + letters / 2;
  return [...rules]
    .sort((a, b) => a.value - b.value)
    .map(rule => {
      const at = Math.min(lowest, y(rule.value));
      lowest = at - 1.15 * letters;
      return { text: rule_text(rule), y: at + 0.35 * letters };
    });
}

// The heights that were predicted, each with its name and its number to the right of the curves, none over another.
export function rule_marks(rules: Rule[], letters: number): Plot.Markish[] {
  return [
    Plot.ruleY(rules, { y: "value", stroke: "var(--soft)", strokeWidth: 1 }),
    (_, { y }, __, { width, marginRight, height, marginTop, marginBottom }) => {
      const group = shape("g", { fill: "currentColor", "text-anchor": "start", class: "rules" });
      const seen = ({ value }: Rule) => y!(value)! >= marginTop && y!(value)! <= height - marginBottom;
      for (const name of rule_names(rules.filter(seen), value => y!(value)!, height - marginBottom, letters)) {
        const text = shape("text", { x: width - marginRight + 4, y: name.y });
        text.textContent = name.text;
        group.append(text);
      }
      return group;
    },
  ];
}
