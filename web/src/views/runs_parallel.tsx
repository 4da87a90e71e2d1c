// Many settings at once: an axis for each, one for the metric, and a line through them for every run. Values that are
// chosen, and a range of the metric, pick runs out; the others are drawn faintly behind.
import { useMemo } from "preact/hooks";
import { useWord } from "../address";
import { Figure } from "../figure";
import { Legend } from "../legend";
import { axis_of } from "../line_looks";
import { useWidth } from "../lines";
import { number_text, type Run, texts_apart } from "../model";
import { metric_title } from "../run/metric_names";
import { column_at, step_text } from "./runs_at";
import { in_order, setting_title } from "./runs_named";

const most_axes = 8;
const spread = 0.5; // of the room between two values, over which runs of one value are spread by their metric
// From little of the metric to much of it; each can be seen on white and on black.
const ramp = ["#5b6abf", "#2f8fb0", "#2fa37c", "#8a9a2a", "#c98a1a", "#d9603b"];

interface Axis {
  name: string;
  values: string[];
}

interface Props {
  runs: Run[];
  settings: Map<number, Map<string, string>>;
  metric: string;
  at: number | undefined; // the step of its values; the end without it
  differing: string[];
  file: string;
}

// "task.vocab:40|60;model.heads:2", by axis.
function picks_in(text: string): Map<string, string[]> {
  return new Map(
    text
      .split(";")
      .flatMap(one =>
        one.includes(":")
          ? [[one.slice(0, one.indexOf(":")), one.slice(one.indexOf(":") + 1).split("|")] as const]
          : [],
      ),
  );
}

export function Parallel({ runs, settings, metric, at, differing, file }: Props) {
  const [picked, pick] = useWord("picked", "");
  const [range, set_range] = useWord("between", "");
  const measured = useMemo(() => runs.filter(run => Number.isFinite(run.metrics[metric] ?? NaN)), [runs, metric]);
  const names = useMemo(
    () =>
      differing.filter(
        name =>
          name !== "experiment" && new Set(measured.map(run => settings.get(run.run)?.get(name) ?? "not set")).size > 1,
      ),
    [measured, settings, differing],
  );
  const axes = useMemo<Axis[]>(
    () =>
      names.slice(0, most_axes).map(name => ({
        name,
        values: [...new Set(measured.map(run => settings.get(run.run)?.get(name) ?? "not set"))].sort(in_order),
      })),
    [measured, settings, names.join()],
  );
  const picks = useMemo(() => picks_in(picked), [picked]);
  const values = measured.map(run => run.metrics[metric]!);
  const least = values.reduce((low, one) => Math.min(low, one), Infinity),
    most = values.reduce((high, one) => Math.max(high, one), -Infinity);
  const [low, high] = range.split(",").map(one => (one.trim() === "" ? NaN : Number(one))) as [number, number?];
  const within = (value: number) => !(value < low) && !(value > (high ?? NaN));
  const is_picked = (run: Run) =>
    within(run.metrics[metric]!) &&
    axes.every(
      ({ name }) => !picks.has(name) || picks.get(name)!.includes(settings.get(run.run)?.get(name) ?? "not set"),
    );
  if (names.length < 2 || measured.length < 3) return null;
  const toggle = (name: string, value: string) => {
    const now = new Set(picks.get(name) ?? []);
    if (!now.delete(value)) now.add(value);
    const all = new Map(picks).set(name, [...now]);
    pick(
      [...all]
        .filter(([, chosen]) => chosen.length > 0)
        .map(([axis, chosen]) => `${axis}:${chosen.join("|")}`)
        .join(";"),
    );
  };
  const kept = measured.filter(is_picked);
  const some = kept.length < measured.length;
  const title = metric_title(metric) + step_text(at);
  const sorted = kept.map(run => run.metrics[metric]!).sort((a, b) => a - b),
    middle = (sorted.length - 1) / 2;
  const bound = (which: 0 | 1, text: string) => (
    <label>
      {text}
      <input
        type="number"
        class="short"
        step="any"
        placeholder={number_text(which ? most : least)}
        value={Number.isFinite(which ? high : low) ? String(which ? high : low) : ""}
        onChange={event => {
          const ends = [Number.isFinite(low) ? String(low) : "", Number.isFinite(high) ? String(high) : ""];
          ends[which] = event.currentTarget.value;
          set_range(ends.some(Boolean) ? ends.join() : "");
        }}
      />
    </label>
  );
  return (
    <section aria-labelledby="parallel">
      <h2 id="parallel">By all settings that differ</h2>
      <fieldset class="chart-ways" aria-label="Which runs stand out">
        {bound(0, `${title} from`)}
        {bound(1, "to")}
        <button
          type="button"
          disabled={!picked && !range}
          onClick={() => {
            pick("");
            set_range("");
          }}
        >
          All runs
        </button>
      </fieldset>
      <Figure
        paper
        title={`${title} and settings: a line per run`}
        file={`${file}-${metric}-by-settings`}
        table={() => ({
          columns: ["run", ...axes.map(({ name }) => name), column_at(metric, at), "picked"],
          rows: measured.map(run => [
            run.run,
            ...axes.map(({ name }) => settings.get(run.run)?.get(name) ?? ""),
            run.metrics[metric]!,
            is_picked(run) ? 1 : 0,
          ]),
        })}
      >
        <Drawn
          runs={measured}
          settings={settings}
          axes={axes}
          metric={metric}
          title={title}
          least={least}
          most={most}
          picks={picks}
          is_picked={is_picked}
          toggle={toggle}
        />
      </Figure>
      <p class="soft" role="status">
        Press a value for the runs that have it.
        {some &&
          ` ${kept.length} of ${measured.length} runs stand out${kept.length > 0 ? `; the median of their ${title} is ${number_text((sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2)}` : ""}.`}
        {names.length > most_axes && ` The first ${most_axes} of ${names.length} settings are shown.`}
      </p>
    </section>
  );
}

interface DrawnProps {
  runs: Run[];
  settings: Map<number, Map<string, string>>;
  axes: Axis[];
  metric: string;
  title: string;
  least: number;
  most: number;
  picks: Map<string, string[]>;
  is_picked: (run: Run) => boolean;
  toggle: (name: string, value: string) => void;
}

function Drawn({ runs, settings, axes, metric, title, least, most, picks, is_picked, toggle }: DrawnProps) {
  const [holder, width] = useWidth();
  const height = 320,
    top = 34,
    bottom = 14,
    left = Math.max(60, 18 + 7.5 * Math.max(...axes[0]!.values.map(value => Math.min(14, value.length)))),
    right = 64;
  const span = most - least || 1;
  const bin = (value: number) => Math.min(ramp.length - 1, Math.floor(((value - least) / span) * ramp.length));
  const x = (axis: number) => left + (axis * (width - left - right)) / axes.length;
  const y_of_metric = (value: number) => height - bottom - ((value - least) / span) * (height - top - bottom);
  const y_of_value = (axis: Axis, value: string) =>
    height - bottom - ((axis.values.indexOf(value) + 0.5) / axis.values.length) * (height - top - bottom);
  // All lines of a colour are one path.
  const paths = useMemo(() => {
    const all = new Map<string, { d: string[]; colour: string; picked: boolean }>();
    for (const run of runs) {
      const value = run.metrics[metric]!,
        share = (value - least) / span - 0.5;
      const places = axes.map((axis, i) => [
        x(i),
        y_of_value(axis, settings.get(run.run)?.get(axis.name) ?? "not set") -
          (share * spread * (height - top - bottom)) / axis.values.length,
      ]);
      places.push([x(axes.length), y_of_metric(value)]);
      const picked = is_picked(run),
        key = `${picked} ${bin(value)}`;
      const path = all.get(key) ?? all.set(key, { d: [], colour: ramp[bin(value)]!, picked }).get(key)!;
      path.d.push(places.map(([x, y], i) => `${i ? "L" : "M"}${x!.toFixed(1)} ${y!.toFixed(1)}`).join(""));
    }
    return [...all.values()].sort((a, b) => Number(a.picked) - Number(b.picked));
  }, [runs, settings, axes, metric, width, is_picked]);
  const chosen = picks.size > 0 || paths.some(({ picked }) => !picked);
  const opaque = Math.max(0.25, Math.min(0.8, 40 / Math.sqrt(runs.length + 1) / 4));
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(share => least + share * span);
  const tick_texts = texts_apart(ticks, axis_of([least, most]).tickFormat ?? String);
  const bins = [...new Set(runs.map(run => bin(run.metrics[metric]!)))].sort((a, b) => a - b);
  const ends = (i: number) =>
    `${number_text(least + (i * span) / ramp.length)} to ${number_text(least + ((i + 1) * span) / ramp.length)}`;
  return (
    <>
      <div ref={holder} class="plot parallel">
        {width > 0 && (
          // biome-ignore lint/a11y/useSemanticElements: no fieldset stands for a drawing
          <svg
            viewBox={`0 0 ${width} ${height}`}
            width={width}
            height={height}
            role="group"
            aria-label={`${title} and ${axes.length} settings of ${runs.length} runs`}
            font-size="12"
          >
            {paths.map(({ d, colour, picked }) => (
              <path
                d={d.join("")}
                fill="none"
                stroke={picked ? colour : "var(--line)"}
                stroke-width={picked && chosen ? 1.6 : 1}
                stroke-opacity={picked ? opaque : 0.6}
              />
            ))}
            {axes.map((axis, i) => (
              <g>
                <line x1={x(i)} x2={x(i)} y1={top} y2={height - bottom} stroke="currentColor" />
                <text
                  x={x(i)}
                  y={i % 2 ? 12 : 26}
                  text-anchor={i === 0 ? "start" : "middle"}
                  fill="currentColor"
                  font-weight="600"
                >
                  {setting_title(axis.name)}
                </text>
                {axis.values.map(value => (
                  // biome-ignore lint/a11y/useSemanticElements: a drawing holds no button
                  <text
                    class="value"
                    role="button"
                    tabindex={0}
                    aria-pressed={picks.get(axis.name)?.includes(value) ?? false}
                    aria-label={`${axis.name} ${value}`}
                    x={x(i) - 5}
                    y={y_of_value(axis, value)}
                    dy="0.32em"
                    text-anchor="end"
                    fill="currentColor"
                    stroke="var(--page)"
                    stroke-width="4"
                    paint-order="stroke"
                    font-weight={picks.get(axis.name)?.includes(value) ? 700 : 400}
                    text-decoration={picks.get(axis.name)?.includes(value) ? "underline" : undefined}
                    onClick={() => toggle(axis.name, value)}
                    onKeyDown={event => {
                      if (event.key !== "Enter" && event.key !== " ") return;
                      event.preventDefault();
                      toggle(axis.name, value);
                    }}
                  >
                    {value.length > 14 ? `${value.slice(0, 13)}…` : value}
                  </text>
                ))}
              </g>
            ))}
            <line x1={x(axes.length)} x2={x(axes.length)} y1={top} y2={height - bottom} stroke="currentColor" />
            <text x={width - 2} y={axes.length % 2 ? 12 : 26} text-anchor="end" fill="currentColor" font-weight="600">
              {title}
            </text>
            {ticks.map((value, i) => (
              <text x={x(axes.length) + 5} y={y_of_metric(value)} dy="0.32em" fill="currentColor">
                {tick_texts[i]}
              </text>
            ))}
          </svg>
        )}
      </div>
      <Legend entries={bins.map(i => ({ text: ends(i), colour: ramp[i]! }))} />
    </>
  );
}
