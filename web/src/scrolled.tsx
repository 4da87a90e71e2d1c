// The frame of a table: where it has no room it scrolls, by keyboard too, and it says what it is.
import type { ComponentChildren } from "preact";

export function Scrolled({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
    <section class="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
