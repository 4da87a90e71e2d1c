// Which part of the lesson somebody is in, what is asked in it, and the way on.
import { lesson } from "../lesson";

export function LessonPart({ number }: { number: number }) {
  const part = lesson[number - 1],
    next = lesson[number];
  if (!part) return null;
  return (
    <p class="part">
      Part {number} of {lesson.length}, {part.minutes} minutes. {part.ask}{" "}
      {next && (
        <>
          Next: <a href={next.link}>{next.title}</a>.{" "}
        </>
      )}
      <a href="#/start">{next ? "All parts" : "This is the last part: back to the start"}</a>.
    </p>
  );
}
