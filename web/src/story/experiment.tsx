// One experiment of the story: its figures, what was claimed, and what came out.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useWord } from "../address";
import { Figure, type Table } from "../figure";
import type { Claim, Experiment, Told, ToldFigure, ToldNumbers } from "../model";
import type { Source } from "../source";
import { Trouble } from "../trouble";
import { in_turn } from "../turns";
import { panels_in, ReadOff } from "./read_off";

export const held_of = (claims: Claim[]) => claims.filter(claim => claim.held).length;

export function Verdict({ held, of }: { held: number; of: number }) {
  return (
    <span class={`state ${held === of ? "done" : "failed"}`}>
      {held === of ? "✓" : "✗"} {held} of {of} held
    </span>
  );
}

// Asked for when it comes near from below, so that the page is there at once, and stays where a link has led to. What
// somebody has unfolded is asked for at once.
export function ExperimentView({
  experiment,
  source,
  news,
  inside,
}: {
  experiment: Experiment;
  source: Source;
  news: number;
  inside?: boolean;
}) {
  const holder = useRef<HTMLElement>(null);
  const [near, set_near] = useState(inside ?? false);
  const [told, set_told] = useState<Told>();
  const [trouble, set_trouble] = useState("");
  useEffect(() => {
    const watch = new IntersectionObserver(
      seen => {
        if (!seen.some(one => one.isIntersecting)) return;
        set_near(true);
        watch.disconnect();
      },
      { rootMargin: "0px 0px 600px 0px" },
    );
    watch.observe(holder.current!);
    return () => watch.disconnect();
  }, []);
  const look = useMemo(
    () =>
      in_turn(() =>
        source.told(experiment.name).then(
          found => {
            set_told(found);
            set_trouble("");
          },
          error => set_trouble(error instanceof Trouble ? error.message : String(error)),
        ),
      ),
    [source, experiment.name],
  );
  useEffect(() => {
    if (near) look();
  }, [near, look, news]);
  return (
    <article
      ref={holder}
      class="experiment"
      data-experiment={experiment.name}
      aria-busy={told || trouble ? undefined : true}
    >
      {!inside && (
        <h3>
          {experiment.title || experiment.name}{" "}
          <Verdict held={held_of(experiment.claims)} of={experiment.claims.length} />
        </h3>
      )}
      {experiment.idea && <p>{experiment.idea.trim()}</p>}
      <p class="problem" role="alert">
        {trouble}
      </p>
      {told?.figures.map((figure, i) => (
        <Drawn figure={figure} file={`${experiment.name}-${i + 1}`} title={experiment.title || experiment.name} />
      ))}
      {told?.tables.map(table => (
        <div dangerouslySetInnerHTML={{ __html: table }} />
      ))}
      {!told && !trouble && <div class="room" />}
      <Claims claims={experiment.claims} />
      {told && <Facts told={told} />}
    </article>
  );
}

// The parts under each other, each with the columns that it has; a map's cells with their row and column, from 1.
function table_of(parts: ToldNumbers[]): Table {
  const whole = parts.map(({ panel, line, columns, rows }) => {
    const count = Object.values(columns)[0]?.length ?? 0;
    const across = rows ? count / rows : 0;
    const places = rows
      ? {
          row: Array.from({ length: count }, (_, i) => 1 + Math.floor(i / across)),
          column: Array.from({ length: count }, (_, i) => 1 + (i % across)),
        }
      : {};
    return { panel, line, count, columns: { ...places, ...columns } as ToldNumbers["columns"] };
  });
  const names = [...new Set(whole.flatMap(({ columns }) => Object.keys(columns)))];
  return {
    columns: ["panel", "line", ...names],
    rows: whole.flatMap(({ panel, line, count, columns }) =>
      Array.from({ length: count }, (_, i) => [panel, line, ...names.map(name => columns[name]?.[i] ?? null)]),
    ),
  };
}

// By the width that there is, not by the window's.
function Drawn({ figure, file, title }: { figure: ToldFigure; file: string; title: string }) {
  const holder = useRef<HTMLDivElement>(null);
  const [narrow, set_narrow] = useState(false);
  const [reads, set_reads] = useState(false);
  const panels = useMemo(() => panels_in(figure.numbers ?? []), [figure.numbers]);
  useEffect(() => {
    const watch = new ResizeObserver(() => holder.current && set_narrow(holder.current.clientWidth < 560));
    watch.observe(holder.current!);
    return () => watch.disconnect();
  }, []);
  if (figure.problem) return <p class="problem">This figure could not be drawn. {figure.problem}</p>;
  return (
    <div ref={holder}>
      {reads ? (
        <ReadOff panels={panels} title={figure.title || title} file={file} />
      ) : (
        <Figure title={figure.title || title} file={file} table={figure.numbers && (() => table_of(figure.numbers!))}>
          <div
            class={`drawn${narrow ? " narrow" : ""}`}
            dangerouslySetInnerHTML={{ __html: (narrow ? figure.narrow : figure.wide) ?? "" }}
          />
        </Figure>
      )}
      {panels.length > 0 && (
        <button type="button" class="quiet" aria-pressed={reads} onClick={() => set_reads(!reads)}>
          Read off values
        </button>
      )}
    </div>
  );
}

function number_text(value: number | null) {
  return value === null ? "no value" : String(+value.toPrecision(4));
}

// In words; in digits for who asks for them, and on paper.
function Claims({ claims }: { claims: Claim[] }) {
  const [digits] = useWord("digits", "");
  const wanted = ({ wanted }: Claim) =>
    `(wanted ${wanted.replace(">=", "≥").replace("<=", "≤").replaceAll(" ", "\u00a0")})`;
  return (
    <ul class={`claims${digits === "1" ? "" : " in-words"}`} aria-label="What was claimed">
      {claims.map(claim => (
        <li title={`${number_text(claim.value)} ${wanted(claim)}`}>
          <span class={`state ${claim.held ? "done" : "failed"}`}>
            {claim.held ? "✓ held" : claim.value === null ? "✗ no value" : "✗ not held"}
          </span>
          <span>
            {claim.claim}
            <span class="digits">
              : <strong>{number_text(claim.value)}</strong> <span class="soft">{wanted(claim)}</span>
            </span>
            {claim.note && <span class="soft"> {claim.note}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Facts({ told }: { told: Told }) {
  const settings = Object.entries(told.settings);
  return (
    <details class="facts">
      <summary>
        {told.runs} run{told.runs === 1 ? "" : "s"}, {/^\d+$/.test(told.seeds) ? "seed" : "seeds"} {told.seeds}: how to
        run it again
      </summary>
      <pre>
        fovea reproduce {told.name} --{told.form}
      </pre>
      <p class="soft">
        {told.seconds === null ? "" : `${+told.seconds.toPrecision(2)} s of computing. `}
        Version {told.version}; {told.machine}.
      </p>
      {told.failed.map(one => (
        <p class="problem">
          Seed {one.seed} failed. {one.error}
        </p>
      ))}
      <dl>
        {settings.map(([name, values]) => (
          <>
            <dt>{name}</dt>
            <dd>
              <code>{values.join(", ")}</code>
            </dd>
          </>
        ))}
      </dl>
    </details>
  );
}
