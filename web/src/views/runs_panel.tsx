// Further metrics of the same runs: a chart for each, which the address names. They follow the steps, the smoothing, the
// logarithmic steps and the legend of the large chart.
import { useEffect, useMemo, useState } from "preact/hooks";
import { change_address, useWord } from "../address";
import type { Curve } from "../curves";
import { Figure } from "../figure";
import { Lines } from "../lines";
import type { Line } from "../model";
import { query_of } from "../run/as_trained";
import { homes_of, MetricOptions, metric_title } from "../run/metric_names";
import type { Source } from "../source";
import { Trouble } from "../trouble";
import { window_in } from "./runs_chart";
import type { Asked, Seen } from "./runs_found";
import { line_table, type Settings } from "./runs_named";

interface Props {
  source: Source;
  seen: Seen;
  asked: Asked;
  curves_of: (lines: Line[]) => Curve[];
  by: string;
  settings: Settings;
}

export function Panel(props: Props) {
  const { seen } = props;
  const [also] = useWord("also", "");
  const chosen = also.split(",").filter(metric => metric !== "" && metric !== seen.metric);
  const others = [...new Set(seen.runs.flatMap(run => Object.keys(run.metrics)))].filter(
    metric => metric !== seen.metric && !chosen.includes(metric),
  );
  const set = (metrics: string[]) => change_address({ also: metrics.join() }, true);
  return (
    <section aria-label="Further charts">
      {others.length > 0 && (
        <label class="line">
          <span class="whole-line">Add a chart of</span>
          <select value="" onChange={event => set([...chosen, event.currentTarget.value])}>
            <option value="">a metric</option>
            <MetricOptions metrics={others} homes={homes_of(seen.runs)} />
          </select>
        </label>
      )}
      <div class="panel">
        {chosen.map(metric => (
          <div key={metric}>
            <Chart {...props} metric={metric} />
            <button type="button" class="quiet" onClick={() => set(chosen.filter(one => one !== metric))}>
              Remove {metric_title(metric)}
            </button>
          </div>
        ))}
      </div>
    </section>
  );
}

function Chart({ source, seen, asked, curves_of, by, settings, metric }: Props & { metric: string }) {
  const { sort } = asked;
  const { experiment, where } = seen;
  const [lines, set_lines] = useState<Line[]>();
  const [trouble, set_trouble] = useState("");
  useEffect(() => {
    let wanted = true;
    source.lines({ ...query_of({ experiment, where, sort }, seen.names.metrics), metric }).then(
      found => {
        if (!wanted) return;
        set_lines(found.lines);
        set_trouble("");
      },
      error => wanted && set_trouble(error instanceof Trouble ? error.message : String(error)),
    );
    return () => {
      wanted = false;
    };
  }, [source, experiment, where, sort, metric, seen.runs]);
  const curves = useMemo(() => curves_of(lines ?? []), [lines, curves_of]);
  const [part] = useWord("zoom", "");
  const [logs] = useWord("log", "");
  const [smooth] = useWord("smooth", "1");
  const [off] = useWord("off", "");
  const window = useMemo(() => {
    const whole = window_in(part);
    return whole && { x: whole.x, y: undefined };
  }, [part]);
  const shown = useMemo(
    () => new Set(curves.map(curve => curve.group).filter(group => off === "" || !off.split("|").includes(group))),
    [curves, off],
  );
  const title = metric_title(metric);
  if (trouble) return <p class="problem">{trouble}</p>;
  if (lines && curves.length === 0) return <p class="soft">No run has {title} over its steps.</p>;
  return (
    <Figure
      paper
      title={title}
      file={`${experiment || "runs"}-${metric}`}
      table={() => line_table(seen.runs, lines ?? [], metric, by, settings)}
    >
      <Lines
        curves={curves}
        label={title}
        shown={shown}
        x_log={logs.includes("x")}
        smooth={Number(smooth) || 1}
        window={window}
        height={220}
      />
    </Figure>
  );
}
