// The explanation as it is read: ideas on one side, and a figure that stays in view and goes to the step of the idea.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { write_address } from "../address";
import { engine } from "../engine/engine";
import type { Training } from "../engine/training";
import { useWidth } from "../lines";
import { words_of } from "../play/state";
import { usePlayer } from "../play/use_player";
import { role_colour } from "../roles";
import { useScreen } from "../screen";
import { Arcs, type Pointed } from "../start/arcs";
import { percent } from "../start/flags";
import { Plot } from "../start/plot";
import { seen_in } from "../start/seen";
import { Explained } from "../term";
import { type Idea, ideas, state_of } from "./ideas";

const moving = 700; // milliseconds from one step to another of the same training
const curves = [
  { metric: "beta_points_right", name: "β: matches words" },
  { metric: "attention_points_right", name: "α: looks right" },
  { metric: "accuracy", name: "writes right" },
];

// The idea that crosses one line of the window is read. On a wide screen the line goes down with the reading, so that the
// picture of the last idea is there when its text is.
function read_in(holder: HTMLElement): number {
  const { top, height } = holder.getBoundingClientRect();
  const share = Math.max(0, Math.min(1, -top / (height - innerHeight)));
  const line = innerHeight * (innerWidth > 900 ? 0.48 + 0.32 * share : 0.75);
  const begun = [...holder.children].filter(idea => idea.getBoundingClientRect().top <= line);
  return Math.max(0, begun.length - 1);
}

export function Reading() {
  const holder = useRef<HTMLOListElement>(null);
  const [read, set_read] = useState(0);
  useEffect(() => {
    const look = () => set_read(read_in(holder.current!));
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, []);
  const idea = ideas[read]!;
  return (
    <section class="reading" aria-label="The explanation">
      {engine.there && <Drawn idea={idea} />}
      <ol ref={holder} class="ideas">
        {ideas.map(({ title, example, says }, i) => (
          <li aria-current={i === read ? "step" : undefined}>
            <h2>{title}</h2>
            {example && (
              <p class="tiny-texts">
                {example.map(text => (
                  <span>{text}</span>
                ))}
              </p>
            )}
            <p>
              <Explained text={says} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

// What the ideas come to, when they have been read.
export function Summary() {
  return (
    <section class="summary" aria-labelledby="in-short">
      <h2 id="in-short">In short</h2>
      <dl>
        <dt>One explanation under test</dt>
        <dd>
          Words can be matched while attention is spread. While the model is unsure of them, looking at the right
          position improves the answer little. In full-size copying of subsets, attention moved while the model was
          unsure.
        </dd>
        <dt>Measured</dt>
        <dd>
          In all 20 trainings of one larger copying task, the right word was the likeliest before attention found it. In
          all 20 trainings on texts with co-occurrence, words were learned while attention was held uniform.
        </dd>
        <dt>Open</dt>
        <dd>
          How sure the model is often grows with attention, or after it. So it is not settled whether attention moves
          because the words are learned.
        </dd>
        <dt>For your own classifier</dt>
        <dd>
          A large weight can be on a wrong word although the answer is right, as in idea 7. So right answers do not show
          that attention is right. <a href="#/play?task=own">Check your own texts</a>: which words count, and can you
          trust attention?
        </dd>
      </dl>
    </section>
  );
}

function Drawn({ idea }: { idea: Idea }) {
  const [holder, width] = useWidth();
  const screen = useScreen(),
    small = screen.width <= 900;
  const state = state_of(idea);
  const { player, root, loading } = usePlayer(state);
  const [pointed, point] = useState<Pointed>({});
  const still = useMemo(() => matchMedia("(prefers-reduced-motion: reduce)").matches, []);
  player.trains = false; // what is shown was trained beforehand
  useEffect(() => {
    if (loading || player.at === idea.step) return undefined;
    const from = player.at,
      began = performance.now();
    let frame = 0;
    const move = (now: number) => {
      const share = still ? 1 : Math.min(1, Math.max(0, now - began) / moving);
      void player.go(Math.round(from + share * (idea.step - from)));
      if (share < 1) frame = requestAnimationFrame(move);
    };
    frame = requestAnimationFrame(move);
    return () => cancelAnimationFrame(frame);
  }, [idea, root, loading]);
  const [training] = player.trainings;
  const at = player.at;
  const example = training?.example(state.example) ?? 0,
    look = training?.look_at(at, example);
  // Of another training nothing is shown under this text.
  const seen = !loading && training && look && seen_in(false, training, look, example, "");
  const held = state.hold > at;
  const in_playground = write_address({
    view: "play",
    words: new URLSearchParams(
      Object.entries(words_of(state)).flatMap(([word, value]) => (value === undefined ? [] : [[word, String(value)]])),
    ),
  });
  return (
    <div class="read-figure">
      <div class="column-names" aria-hidden="true">
        <span>words read</span>
        <span>{held ? "attention is held uniform" : ""}</span>
        <span>words written</span>
      </div>
      {seen ? (
        <Arcs
          seen={seen}
          label={`Attention at step ${at}: ${numbers_in(training, at)}`}
          pointed={pointed.row === undefined && pointed.column === undefined ? { row: idea.lit?.row } : pointed}
          point={point}
          choose={() => (location.hash = in_playground)}
          tallest={small ? 210 : Math.max(250, Math.min(430, screen.height - 420))}
        />
      ) : (
        <div class="arcs" />
      )}
      <div ref={holder}>
        {width > 0 && (
          <Plot
            label={`Shares up to step ${at}`}
            width={width}
            height={small ? 96 : 150}
            total={idea.until ?? Math.max(1, player.total)}
            at={at}
            range={[0, 1]}
            share
            lines={(loading ? [] : player.trainings).flatMap((run, i) =>
              curves.map(({ metric }) => ({
                series: run.series.get(metric),
                colour: role_colour(metric),
                ghost: i > 0,
              })),
            )}
            rules={[]}
            poles={[]}
            changed={state.hold > 0 ? [state.from, state.hold] : undefined}
          />
        )}
      </div>
      <p class="soft read-numbers">
        Step <output data-step={at}>{at}</output>.{" "}
        {curves.map(({ metric, name }) => (
          <span style={{ "--of": role_colour(metric) }}>
            {name} {loading ? "–" : value_text(training, metric, at)}
          </span>
        ))}
        <a class="unbroken" href={in_playground}>
          Train it yourself
        </a>
      </p>
    </div>
  );
}

function value_text(training: Training | undefined, metric: string, at: number): string {
  const value = training?.value_at(metric, at);
  return typeof value === "number" ? percent(value) : "–";
}

const numbers_in = (training: Training, at: number) =>
  curves.map(({ metric, name }) => `${name} ${value_text(training, metric, at)}`).join(", ");
