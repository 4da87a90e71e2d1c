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

const rule_text = ({ value, name }: Rule) => `${name} ${+value.toPrecision(3)}`;

// The heights that were predicted, each with its name and its number to the right of the curves, none over another.
export function rule_marks(rules: Rule[], letters: number): Plot.Markish[] {
  return [
    Plot.ruleY(rules, { y: "value", stroke: "var(--c3)", strokeDasharray: "5,4" }),
    (_, { y }, __, { width, marginRight, height, marginTop, marginBottom }) => {
      const group = shape("g", { fill: "currentColor", "text-anchor": "start", class: "rules" });
      const seen = ({ value }: Rule) => y!(value)! >= marginTop && y!(value)! <= height - marginBottom;
      let lowest = height - marginBottom + letters / 2;
      for (const rule of rules.filter(seen).sort((a, b) => a.value - b.value)) {
        lowest = Math.min(lowest, y!(rule.value)!);
        const text = shape("text", { x: width - marginRight + 4, y: lowest + 0.35 * letters });
        text.textContent = rule_text(rule);
        group.append(text);
        lowest -= 1.15 * letters;
      }
      return group;
    },
  ];
}
