// The frame of a table: where it has no room it scrolls, by keyboard too, and it says what it is.
import type { ComponentChildren } from "preact";

export function Scrolled({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
