// Which runs are shown, what of them, and by what they are coloured.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { change_address, useWord } from "../address";
import { homes_of, MetricOptions } from "../run/metric_names";
import type { Seen } from "./runs_found";

// Said in an address, where something else is meant by what it leaves out.
export const every = "*",
  nothing_by = "nothing";

// Text that is taken over when its writer pauses, so that half a condition is not asked.
export function useSlow(value: string, take: (value: string) => void): [string, (value: string) => void] {
  const [written, write] = useState<string>(); // while it is
  const timer = useRef<number>();
  useEffect(() => () => clearTimeout(timer.current), []); // the address is another view's by then
  return [
    written ?? value,
    next => {
      write(next);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        write(undefined);
        take(next);
      }, 400);
    },
  ];
}

interface Props {
  seen: Seen;
  experiment: string;
  coloured: string;
  differing: string[];
}

export function Filters({ seen, experiment, coloured, differing }: Props) {
  const [where, take_where] = useWord("where", "");
  const [condition, set_condition] = useSlow(where, take_where);
  const metrics = [...new Set(seen.runs.flatMap(run => Object.keys(run.metrics)))];
  return (
    <form class="filters of-runs" onSubmit={event => event.preventDefault()}>
      <Choice
        label="Experiment"
        word="experiment"
        value={experiment || every}
        options={[every, ...seen.names.experiments]}
        words={{ [every]: "all" }}
      />
      <label class="wide">
        Condition
        <input
          type="search"
          value={condition}
          placeholder="task.vocab = 60 and accuracy >= 0.9"
          spellcheck={false}
          onInput={event => set_condition(event.currentTarget.value)}
          aria-describedby="trouble"
        />
      </label>
      <Choice label="Metric" word="metric" value={seen.metric}>
        <MetricOptions metrics={metrics} chosen={seen.metric} homes={homes_of(seen.runs)} />
      </Choice>
      <Choice
        label="Colour by"
        word="by"
        value={coloured}
        options={[...new Set([nothing_by, "experiment", "seed", ...differing, coloured])]}
        words={{ intervene: "intervention" }}
      />
    </form>
  );
}

// Chosen among the runs of one experiment, so it means nothing in another.
const of_one_experiment = {
  marked: "",
  by: "",
  against: "",
  across: "",
  picked: "",
  between: "",
  sides_by: "",
  sides_against: "",
};

function Choice(props: {
  label: string;
  word: string;
  value: string;
  options?: string[];
  words?: { [option: string]: string };
  children?: ComponentChildren; // in place of options
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        value={props.value}
        onChange={event =>
          change_address(
            {
              [props.word]: event.currentTarget.value,
              off: "",
              ...(props.word !== "by" && { zoom: "" }),
              ...(props.word === "by" && { against: "" }), // a value of the setting
              ...(props.word === "experiment" && of_one_experiment),
            },
            true,
          )
        }
      >
        {props.children}
        {props.options?.map(option => (
          <option value={option} selected={option === props.value}>
            {props.words?.[option] ?? option}
          </option>
        ))}
      </select>
    </div>
  );
}
