// Curves over the steps as far as they have been watched, with what was bet, what came, and what was predicted.
import type { Series } from "../engine/looks";
import type { Rule } from "../line_looks";
import { rule_names } from "../rules";

export const edges = { left: 46, right: 14, top: 22, bottom: 26 }; // the flags' sliders keep to left and right
export const right_of_names = 116; // where rules have their names on the right

export interface Line {
  series: Series | undefined;
  colour: string;
  ghost: boolean; // of the run that nothing is done to
  until?: number; // the step to which it is drawn, if that is not where the others are
}
export interface Pole {
  colour: string;
  bet: number | undefined; // the step that was bet on
  predicted: number | undefined; // the step that Fovea predicts
  came: number | undefined; // the step at which it came, if that has been watched
  height: number; // of its curve at that step
}

interface Props {
  label: string;
  width: number;
  height: number;
  right?: number; // room to the right of the curves
  unnumbered?: boolean; // the steps are numbered in a plot beside it
  total: number;
  at: number;
  range: [number, number];
  share: boolean; // its values are shares of 100 %
  lines: Line[];
  rules: Rule[];
  poles: Pole[];
  changed: [from: number, until: number] | undefined; // while something is done to attention
}

// The points of a series up to a step, as a path.
export function path_until(
  series: Series | undefined,
  at: number,
  x: (step: number) => number,
  y: (value: number) => number,
): string {
  let path = "";
  series?.steps.forEach((step, i) => {
    const value = series.values[i];
    if (step <= at && value !== null && value !== undefined)
      path += `${path ? "L" : "M"}${x(step).toFixed(1)} ${y(value).toFixed(1)}`;
  });
  return path;
}

export function Plot(props: Props) {
  const { label, width, height, total, at, range, share, lines, rules, poles, changed, unnumbered } = props;
  const [low, high] = range;
  const right = width - (props.right ?? edges.right),
    bottom = height - (unnumbered ? 8 : edges.bottom);
  const x = (step: number) => edges.left + (Math.min(step, total) / Math.max(1, total)) * (right - edges.left);
  const y = (value: number) => bottom - ((value - low) / (high - low)) * (bottom - edges.top);
  // The step of a flag is below its curve, which rises. High up other curves are below, so the step is above.
  const is_high = (step: number, height: number) => height > 0.7 && x(step) > edges.left + 60;
  const ticks = share ? [0, 0.5, 1] : [low, high];
  const steps = [0, 0.25, 0.5, 0.75, 1].map(part => Math.round(part * total));
  return (
    <svg
      class="bet-plot"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      {changed && (
        <rect
          class="changed"
          x={x(changed[0])}
          y={edges.top}
          width={Math.max(1, x(changed[1]) - x(changed[0]))}
          height={bottom - edges.top}
        />
      )}
      {ticks.map(value => (
        <g key={value}>
          <line class="tick" x1={edges.left} x2={right} y1={y(value)} y2={y(value)} />
          <text x={edges.left - 5} y={y(value) + 4} text-anchor="end">
            {share ? `${100 * value} %` : value.toFixed(1)}
          </text>
        </g>
      ))}
      {!share && (
        <text x={edges.left - 5} y={(y(low) + y(high)) / 2 + 4} text-anchor="end">
          loss
        </text>
      )}
      {(unnumbered ? [] : steps).map((step, i) => (
        <text
          key={step}
          x={x(step)}
          y={height - 8}
          text-anchor={i === 0 ? "start" : i === steps.length - 1 ? "end" : "middle"}
        >
          {i === 0 ? `step ${step}` : step}
        </text>
      ))}
      {rules.map(({ value, name }) => (
        <line key={name} class="rule" x1={edges.left} x2={right} y1={y(value)} y2={y(value)} />
      ))}
      {rule_names(rules, y, bottom, 12).map(({ text, y }) => (
        <text key={text} class="predicted" x={right + 5} y={y}>
          {text}
        </text>
      ))}
      {poles.map(
        ({ colour, predicted }) =>
          predicted !== undefined && (
            <g class="fovea-flag" data-step={predicted}>
              <line x1={x(predicted)} x2={x(predicted)} y1={4} y2={bottom} stroke={colour} />
              <path d={`M${x(predicted)} 3l13 6l-13 6z`} stroke={colour} />
            </g>
          ),
      )}
      {poles.map(
        ({ colour, bet }, i) =>
          bet !== undefined && (
            <Flag x={x(bet)} bottom={bottom} colour={colour} left={i > 0 && bet === poles[0]!.bet} />
          ),
      )}
      {lines.map(({ series, colour, ghost, until = at }) => (
        <path class={ghost ? "curve ghost" : "curve"} d={path_until(series, until, x, y)} stroke={colour} />
      ))}
      {poles.map(
        ({ colour, came, height }) =>
          came !== undefined && (
            <g>
              <circle cx={x(came)} cy={y(height)} r="5" fill={colour} stroke="var(--page)" stroke-width="2" />
              <text
                class="came"
                x={x(came) + (is_high(came, height) ? -8 : 8)}
                y={y(height) + (is_high(came, height) ? -6 : 15)}
                text-anchor={is_high(came, height) ? "end" : "start"}
              >
                step {came}
              </text>
            </g>
          ),
      )}
      {at > 0 && <line class="now" x1={x(at)} x2={x(at)} y1={edges.top} y2={bottom} />}
    </svg>
  );
}

// To the left of its pole, it leaves another flag at the same step in view.
function Flag({ x, bottom, colour, left }: { x: number; bottom: number; colour: string; left: boolean }) {
  return (
    <g>
      <line x1={x} x2={x} y1={4} y2={bottom} stroke={colour} stroke-width="2" />
      <path d={left ? `M${x} 3l-13 6l13 6z` : `M${x} 3l13 6l-13 6z`} fill={colour} />
    </g>
  );
}
