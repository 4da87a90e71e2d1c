// A point that moves along the path in the time of training, played or put anywhere by hand.
import { useEffect, useMemo, useState } from "preact/hooks";
import { PlayWords } from "../play/play_words";
import { type Course, type Frame, inside_of, short } from "./state";

const seconds = 6,
  pauses = 10; // where motion is to be reduced, it jumps this often

export interface Walk {
  at: number | undefined; // share of the path; undefined before it is played
  playing: boolean;
  play: () => void; // or pause
  put: (at: number) => void;
}

// It begins at the start of every course.
export function useWalk(course: Course | undefined): Walk {
  const still = useMemo(() => matchMedia("(prefers-reduced-motion: reduce)").matches, []);
  const [at, set] = useState<number>();
  const [playing, play] = useState(false);
  const of = course?.of;
  useEffect(() => {
    set(undefined);
    play(false);
  }, [of]);
  useEffect(() => {
    if (!playing) return;
    const begun = performance.now() - 1000 * seconds * (at ?? 0);
    let frame = 0;
    const move = (now: number) => {
      const share = Math.min(1, Math.max(0, (now - begun) / (1000 * seconds)));
      set(still ? Math.floor(share * pauses) / pauses : share);
      if (share < 1) frame = requestAnimationFrame(move);
      else play(false);
    };
    frame = requestAnimationFrame(move);
    return () => cancelAnimationFrame(frame);
  }, [playing]);
  return {
    at,
    playing,
    play: () => {
      if (!playing && at === 1) set(0);
      play(!playing);
    },
    put: share => {
      play(false);
      set(share);
    },
  };
}

export interface Walker {
  time: number;
  D: number;
  gate: number;
  p: number;
}

// Where the point is: between two points of the flow.
export function walker_of(course: Course | undefined, frame: Frame, at: number | undefined): Walker | undefined {
  if (!course || at === undefined) return undefined;
  const path = inside_of(course, frame),
    place = at * (path.length - 1),
    i = Math.min(path.length - 2, Math.floor(place));
  const [one, next] = [path[i], path[i + 1]];
  if (!one || !next) return undefined;
  const between = (from: number, to: number) => from + (place - i) * (to - from);
  return {
    time: between(course.times[i]!, course.times[i + 1]!),
    D: between(one[0], next[0]),
    gate: between(one[1], next[1]),
    p: between(one[2], next[2]),
  };
}

export function WalkControls({ walk, walker }: { walk: Walk; walker: Walker | undefined }) {
  const { at, playing } = walk;
  const told = walker ? `τ = ${short(walker.time)}: D = ${short(walker.D)}, p = ${short(walker.p)}` : "";
  return (
    <div class="walk">
      <button type="button" class="main" onClick={walk.play}>
        <PlayWords playing={playing} ended={at === 1} />
      </button>
      <input
        type="range"
        min={0}
        max={1}
        step={0.01}
        value={at ?? 0}
        aria-label="Point on the path"
        aria-valuetext={told || "at the start"}
        onInput={event => walk.put(Number(event.currentTarget.value))}
      />
      <span class="value">{told || "The point follows the path."}</span>
    </div>
  );
}
