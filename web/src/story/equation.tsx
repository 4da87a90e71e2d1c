// A line of mathematics, written as in "L = −p D" or "α_t = softmax_s(score_{ts})". `_` and `^` take one sign or a
// group in braces; \frac{a}{b} and √{a} are the only commands. Letters without a space between them are one name; a
// comma between two spaces parts two equations. It is drawn in HTML: MathML is legible only where a font for
// mathematics is installed. Screen readers read MathML, which nobody sees.
import type { ComponentChild } from "preact";
import { createElement } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

type Term =
  | { is: "row"; terms: Term[] }
  | { is: "scripts"; base: Term; below?: Term | undefined; above?: Term | undefined }
  | { is: "fraction"; above: Term; below: Term }
  | { is: "root"; of: Term }
  | { is: "name" | "number" | "sign" | "space" | "comma"; text: string };

const part = / , |\\frac|√|[_^{}]|\d+(?:\.\d+)?|\p{L}\p{M}*(?:\p{L}\p{M}*)*|\s+|./gu;
// Greek letters and single Latin ones are variables; longer words stand upright, as functions do.
const word = /^\p{L}/u,
  variable = /^\p{L}\p{M}*$/u;

class Reader {
  private readonly parts: string[];
  private at = 0;
  constructor(text: string) {
    this.parts = text.match(part) ?? [];
  }

  row(until?: string): Term {
    const terms: Term[] = [];
    while (this.at < this.parts.length && this.parts[this.at] !== until) terms.push(this.scripted());
    ++this.at; // the brace
    return { is: "row", terms };
  }

  private scripted(): Term {
    const base = this.one();
    const scripts: { [mark: string]: Term } = {};
    for (let mark = this.parts[this.at]; mark === "_" || mark === "^"; mark = this.parts[this.at]) {
      ++this.at;
      scripts[mark] = this.one();
    }
    const { _: below, "^": above } = scripts;
    return below || above ? { is: "scripts", base, below, above } : base;
  }

  private one(): Term {
    const text = this.parts[this.at++] ?? "";
    if (text === " , ") return { is: "comma", text };
    if (/^\s/.test(text)) return { is: "space", text };
    if (text === "{") return this.row("}");
    if (text === "\\frac") return { is: "fraction", above: this.one(), below: this.one() };
    if (text === "√") {
      if (/^\s/.test(this.parts[this.at] ?? "")) ++this.at;
      return { is: "root", of: this.one() };
    }
    return { is: /^\d/.test(text) ? "number" : word.test(text) ? "name" : "sign", text };
  }
}

function mathml(term: Term): ComponentChild {
  switch (term.is) {
    case "row":
      return createElement("mrow", null, ...term.terms.map(mathml));
    case "scripts": {
      const [base, below, above] = [term.base, term.below, term.above].map(one => one && mathml(one));
      if (below && above) return createElement("msubsup", null, base, below, above);
      return below ? createElement("msub", null, base, below) : createElement("msup", null, base, above);
    }
    case "fraction":
      return createElement("mfrac", null, mathml(term.above), mathml(term.below));
    case "root":
      return createElement("msqrt", null, mathml(term.of));
    case "space":
      return null;
    case "comma":
      return createElement("mtext", null, ",\u2003");
    default:
      return createElement(term.is === "name" ? "mi" : term.is === "number" ? "mn" : "mo", null, term.text);
  }
}

function drawn(term: Term): ComponentChild {
  switch (term.is) {
    case "row":
      return <span>{term.terms.map(drawn)}</span>;
    case "scripts":
      return (
        <>
          {drawn(term.base)}
          {term.below && term.above ? (
            <span class="both">
              <span>{drawn(term.above)}</span>
              <span>{drawn(term.below)}</span>
            </span>
          ) : term.below ? (
            <sub>{drawn(term.below)}</sub>
          ) : (
            <sup>{drawn(term.above!)}</sup>
          )}
        </>
      );
    case "fraction":
      return (
        <span class="fraction">
          <span>{drawn(term.above)}</span>
          <span>{drawn(term.below)}</span>
        </span>
      );
    case "root":
      return (
        <>
          √<span class="root">{drawn(term.of)}</span>
        </>
      );
    case "space":
      return " ";
    case "comma":
      return ",\u2003";
    case "name":
      return variable.test(term.text) ? <i>{term.text}</i> : <span class="upright">{term.text}</span>;
    default:
      return term.text === "∑" ? <span class="sum">∑</span> : term.text;
  }
}

export function Equation({ lines }: { lines: string[] }) {
  const holder = useRef<HTMLDivElement>(null);
  const [cut, set_cut] = useState(false); // then it scrolls, and by keyboard too
  useEffect(() => {
    const watch = new ResizeObserver(
      () => holder.current && set_cut(holder.current.scrollWidth > holder.current.clientWidth),
    );
    watch.observe(holder.current!);
    return () => watch.disconnect();
  }, []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be measured for what it cuts off
    <div ref={holder} class="equations" tabIndex={cut ? 0 : undefined} role="group" aria-label="Equations">
      {lines.map(line => {
        const term = new Reader(line).row();
        return (
          <div class="equation">
            <span class="hidden">{createElement("math", null, mathml(term))}</span>
            <span aria-hidden="true">{drawn(term)}</span>
          </div>
        );
      })}
    </div>
  );
}
