// One experiment of the story: its figures, what was claimed, and what came out.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useWord } from "../address";
import { Figure, type Table } from "../figure";
import {
  type Claim,
  type Experiment,
  type Told,
  type ToldFigure,
  type ToldNumbers,
  value_text,
  verdict_text,
} from "../model";
import type { Source } from "../source";
import { Trouble } from "../trouble";
import { in_turn } from "../turns";
import { claimed_text, in_forms, kept_of } from "./kept";
import { line_colours } from "./line_colours";
import { panels_in, ReadOff } from "./read_off";

export const as_stated = (claims: Claim[]) => claims.filter(claim => claim.held).length;

// "15 of 16 claims are as stated, 1 is not". A sentence of a source that is expected to fail counts if it fails.
export function count_text(claims: Claim[]): string {
  const stated = as_stated(claims),
    others = claims.length - stated;
  return `${stated} of ${claims.length} claims are as stated${others === 0 ? "" : `, ${others} ${others === 1 ? "is" : "are"} not`}`;
}

export function Verdict({ claims }: { claims: Claim[] }) {
  const whole = as_stated(claims) === claims.length;
  return (
    <span class={`state ${whole ? "done" : ""}`}>
      {whole && "✓ "}
      {count_text(claims)}
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
          {experiment.title || experiment.name} <Verdict claims={experiment.claims} />
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
      <Claims claims={with_full_form(experiment)} />
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
  const colours = useMemo(() => line_colours(figure.numbers ?? []), [figure.numbers]);
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
            style={colours}
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

// The value and the threshold, to as many digits.
export function Measured({ claim }: { claim: Claim }) {
  const plain = (text: string) => text.replaceAll("-", "−");
  const wanted = claim.wanted.replace(/-?\d[\d.]*(e[+-]?\d+)?/g, number => value_text({ value: Number(number) }));
  const needed = plain(wanted).replace(">=", "at least").replace("<=", "at most");
  return (
    <>
      <span class="soft">measured</span> <strong>{plain(value_text(claim))}</strong>
      <span class="soft">, needed {needed.replaceAll(" ", "\u00a0")}</span>
    </>
  );
}

// What was claimed of an experiment: claims of runs here and, if there are no full forms among them, those that are kept.
function with_full_form({ name, claims }: Experiment): Claim[] {
  if (claims.length === 0 || claims.some(({ form }) => form === "full")) return claims;
  const kept = kept_of(name).flatMap(one => (one.corpus === "" ? one.claims : []));
  return [...claims, ...kept.map(claim => ({ ...claim, form: kept_form }))];
}

const kept_form = "full form, kept";
function form_title(form: string): string {
  return form === kept_form ? form : `${form} form`;
}

// A line for each claim: title, and of each form its verdict, value, threshold and null value. Its text and its formula
// are unfolded.
export function Claims({ claims }: { claims: Claim[] }) {
  const [open] = useWord("digits", "");
  const several = new Set(claims.map(({ form }) => form)).size > 1;
  return (
    <ul class="claims" aria-label="Claims">
      {in_forms(claims).map(forms => {
        const [claim] = forms;
        const title = <span class="title">{claimed_text(forms)}</span>;
        return (
          <li>
            <details open={open === "1"}>
              <summary class={several ? "claim forms" : "claim"}>
                {several && title}
                {forms.map(one => {
                  const verdict = verdict_text({ source: claim.source, ...one });
                  const parts = (
                    <>
                      <span class={`state ${one.held ? "done" : "failed"}`}>{verdict}</span> {!several && title}
                      <span class="value">
                        <Measured claim={one} />
                        {one.null && <span class="soft"> · null {value_text(one.null)}</span>}
                      </span>
                    </>
                  );
                  return several ? (
                    <span class="form">
                      <span class="soft">{form_title(one.form)}:</span> {parts}
                    </span>
                  ) : (
                    parts
                  );
                })}
              </summary>
              <ClaimDetails claim={claim} />
            </details>
          </li>
        );
      })}
    </ul>
  );
}

function ClaimDetails({ claim }: { claim: Claim }) {
  const rows: [string, string][] = claim.metric ? [["metric", claim.formula ?? claim.metric]] : [];
  if (claim.where) rows.push(["only if", claim.where]);
  for (const [name, expression] of Object.entries(claim.define ?? {})) rows.push([name, expression]);
  const rivals = (claim.rivals ?? []).map(rival => `${rival.name}: ${value_text(rival)}`);
  return (
    <div class="claim-details">
      {claim.title && <p>{claim.claim}</p>}
      {claim.note && <p class="soft">{claim.note}</p>}
      <dl>
        {rows.map(([name, expression]) => (
          <>
            <dt>{name}</dt>
            <dd>
              <code>{expression}</code>
            </dd>
          </>
        ))}
        {claim.null && (
          <>
            <dt>null value</dt>
            <dd>
              {value_text(claim.null)}: {claim.null.means}
            </dd>
          </>
        )}
        {rivals.length > 0 && (
          <>
            <dt>rivals</dt>
            <dd>{rivals.join("; ")}</dd>
          </>
        )}
        {claim.source && (
          <>
            <dt>source</dt>
            <dd>{claim.source}</dd>
          </>
        )}
      </dl>
    </div>
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
