// The frame of a table: where it has no room it scrolls, by keyboard too, and it says what it is.
import type { ComponentChildren } from "preact";

// `whole`: it is as high as what it holds, and scrolls sideways alone.
export function Scrolled(props: { label: string; whole?: boolean; children: ComponentChildren }) {
  const { label, whole, children } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
    <section class={whole ? "scroll whole" : "scroll"} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
