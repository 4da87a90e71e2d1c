// A line of mathematics, written as in "L = −p D" or "α_t = softmax_s(score_{ts})", as MathML, which browsers draw and
// screen readers read. `_` and `^` take one sign or a group in braces; \frac{a}{b} and √{a} are the only commands. Letters
// without a space between them are one name; a comma between two spaces parts two equations.
import type { ComponentChild } from "preact";
import { createElement } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

const part = / , |\\frac|√|[_^{}]|\d+(?:\.\d+)?|\p{L}\p{M}*(?:\p{L}\p{M}*)*|\s+|./gu;
// Greek letters and single Latin ones are variables; longer words stand upright, as functions do.
const word = /^\p{L}/u;

class Reader {
  private readonly parts: string[];
  private at = 0;
  constructor(text: string) {
    this.parts = text.match(part) ?? [];
  }

  row(until?: string): ComponentChild {
    const all: ComponentChild[] = [];
    while (this.at < this.parts.length && this.parts[this.at] !== until) {
      const one = this.scripted();
      if (one) all.push(one);
    }
    ++this.at; // the brace
    return createElement("mrow", null, ...all);
  }

  private scripted(): ComponentChild {
    const base = this.one();
    if (!base) return null;
    const scripts: { [mark: string]: ComponentChild } = {};
    for (let mark = this.parts[this.at]; mark === "_" || mark === "^"; mark = this.parts[this.at]) {
      ++this.at;
      scripts[mark] = this.one();
    }
    const { _: below, "^": above } = scripts;
    if (below && above) return createElement("msubsup", null, base, below, above);
    return below ? createElement("msub", null, base, below) : above ? createElement("msup", null, base, above) : base;
  }

  private one(): ComponentChild {
    const text = this.parts[this.at++] ?? "";
    if (text === " , ") return createElement("mtext", null, ",\u2003");
    if (/^\s/.test(text)) return null;
    if (text === "{") return this.row("}");
    if (text === "\\frac") return createElement("mfrac", null, this.one(), this.one());
    if (text === "√") return createElement("msqrt", null, this.one());
    if (/^\d/.test(text)) return createElement("mn", null, text);
    if (word.test(text)) return createElement("mi", null, text);
    return createElement("mo", null, text);
  }
}

export function Equation({ lines }: { lines: string[] }) {
  const holder = useRef<HTMLDivElement>(null);
  const [cut, set_cut] = useState(false); // then it scrolls, and by keyboard too
  useEffect(() => {
    const watch = new ResizeObserver(() => holder.current && set_cut(holder.current.scrollWidth > holder.current.clientWidth));
    watch.observe(holder.current!);
    return () => watch.disconnect();
  }, []);
  return (
    <div ref={holder} class="equations" tabIndex={cut ? 0 : undefined} role="group" aria-label="Equations">
      {lines.map((line) => createElement("math", { display: "block" }, new Reader(line).row()))}
    </div>
  );
}
