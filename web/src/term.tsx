// The words that a newcomer does not know yet, explained where they stand: on hover, on tap, by keyboard.
import type { ComponentChild } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

const meanings: { [word: string]: string } = {
  attention: "Attention: for each word that is written, a share of every word that was read. The shares add up to 1.",
  α: "α (alpha) is attention: the share that one word read gets while one word is written, from 0 to 1.",
  β: "β (beta) is the evidence of one word read: how strongly it would speak for the right answer, if all attention were on it. It can be high while attention is elsewhere.",
  entropy:
    "Normalised entropy: how spread attention is, from 1 (uniform: on all words alike) to 0 (all of it on one word).",
  loss: "Loss: how surprised the model is by the right answer, on average. Training makes it smaller; 0 means never surprised.",
  uniform:
    "Uniform attention gives every input word the same share: the model looks at all of them alike, so at none in particular.",
};

interface TermProps {
  word: string;
  means?: string | undefined; // where it is no word of this list
  children: ComponentChild;
}

export function Term({ word, means = meanings[word], children }: TermProps) {
  const id = useId();
  const [open, set] = useState(false);
  const tip = useRef<HTMLSpanElement>(null);
  // Within the window, wherever the word stands.
  useLayoutEffect(() => {
    if (!tip.current) return;
    tip.current.style.translate = "none";
    const { left, right, bottom, height } = tip.current.getBoundingClientRect();
    const room = document.documentElement.clientWidth - 8;
    const word = tip.current.parentElement!.getBoundingClientRect();
    tip.current.classList.toggle("above", bottom > document.documentElement.clientHeight - 8 && word.top > height + 12);
    tip.current.style.translate = `${Math.max(8 - left, Math.min(0, room - right))}px`;
  }, [open]);
  if (!means) return <>{children}</>;
  return (
    <button
      type="button"
      class="term"
      aria-describedby={open ? id : undefined}
      onPointerEnter={event => event.pointerType === "mouse" && set(true)}
      onPointerLeave={event => event.pointerType === "mouse" && set(false)}
      onFocus={() => set(true)}
      onBlur={() => set(false)}
      onClick={() => set(true)}
      onKeyDown={event => event.key === "Escape" && set(false)}
    >
      {children}
      {open && (
        <span ref={tip} id={id} class="tip" role="tooltip">
          {means}
        </span>
      )}
    </button>
  );
}

const known = /\(([αβ])\)|α|β|\bloss\b|\buniform\b|\bentropy\b/;

// A text with each of them explained at its first place. `curve`: the quantity of the curve of α or β here.
export function Explained({ text, curve }: { text: string; curve?: string }) {
  const parts: ComponentChild[] = [],
    seen = new Set<string>();
  let rest = text;
  for (let found = known.exec(rest); found; found = known.exec(rest)) {
    const word = found[1] ?? found[0],
      here = curve && `${meanings[word]} The curve here: ${curve}.`,
      term = seen.has(word) ? (
        word
      ) : (
        <Term word={word} means={here || meanings[word]}>
          {word}
        </Term>
      );
    parts.push(rest.slice(0, found.index), found[1] ? <span class="unbroken">({term})</span> : term);
    seen.add(word);
    rest = rest.slice(found.index + found[0].length);
  }
  return (
    <>
      {parts}
      {rest}
    </>
  );
}
