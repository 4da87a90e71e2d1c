// The way to each chapter of the evidence.
import { change_address } from "../address";
import { useScreen } from "../screen";

export function Chapters({ sections, at }: { sections: { name: string; title: string }[]; at: string }) {
  const wide = useScreen().width > 900; // as story.css has it: there is room beside the text
  const list = (
    <ol>
      {sections.map(section => (
        <li>
          <a
            href={`#/story?at=${section.name}`}
            aria-current={section.name === at ? "true" : undefined}
            onClick={event => {
              event.preventDefault();
              change_address({ at: section.name }, true);
              const heading = document.getElementById(`chapter-${section.name}`)!;
              heading.scrollIntoView();
              heading.focus({ preventScroll: true });
            }}
          >
            {section.title}
          </a>
        </li>
      ))}
    </ol>
  );
  return (
    <nav class="chapters" aria-label="Chapters">
      {wide ? (
        <>
          <p class="soft">The evidence, by chapter</p>
          {list}
        </>
      ) : (
        <details>
          <summary>
            {sections.length} chapter{sections.length === 1 ? "" : "s"}
          </summary>
          {list}
        </details>
      )}
    </nav>
  );
}
