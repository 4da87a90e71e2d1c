// One run of the store: what it was, its curves, and its attention over the steps, every layer and head at a glance.
import { useEffect, useMemo, useState } from "preact/hooks";
import { read_address, useWord, write_address } from "../address";
import type { Curve } from "../curves";
import { engine } from "../engine/engine";
import { Figure } from "../figure";
import { rung_of } from "../line_looks";
import { Lines } from "../lines";
import { likely_metric } from "../metric";
import { number_text, type WholeRun } from "../model";
import { address_in_playground, not_there } from "../run/in_playground";
import { maps_of, other_program, series_of } from "../run/kept";
import { Maps } from "../run/maps";
import type { KeptRuns } from "../source";
import { Trouble } from "../trouble";

// The runs as they are filtered, with what the page of a run shows left out; of one run that page.
export function address_of_all(id?: number): string {
  const { words } = read_address();
  for (const word of ["run", "step", "map", "example", "of"]) words.delete(word);
  if (id !== undefined) words.set("run", String(id));
  return write_address({ view: "runs", words });
}

export const address_of_run = (id: number): string => address_of_all(id);

export function RunPage({ store, id }: { store: KeptRuns; id: string }) {
  const [run, set_run] = useState<WholeRun>();
  const [trouble, set_trouble] = useState("");
  useEffect(() => {
    let wanted = true;
    set_run(undefined);
    set_trouble("");
    const asked = /^\d+$/.test(id)
      ? store.run(Number(id))
      : Promise.reject(new Trouble(`"${id}" is no number of a run.`));
    asked.then(
      found => wanted && set_run(found),
      error => wanted && set_trouble(error instanceof Trouble ? error.message : String(error)),
    );
    return () => {
      wanted = false;
    };
  }, [store, id]);
  return (
    <>
      <p>
        <a href={address_of_all()}>← All runs</a>
      </p>
      <h1>
        Run {id}
        {run && `: ${run.experiment}, seed ${run.seed}`}
      </h1>
      <p class="problem" role="alert">
        {trouble}
      </p>
      {!run && !trouble && <p class="soft">Loading the run.</p>}
      {run && <Whole key={run.run} store={store} run={run} />}
    </>
  );
}

function Whole({ store, run }: { store: KeptRuns; run: WholeRun }) {
  const program = other_program(run);
  const maps = useMemo(() => maps_of(run), [run]);
  return (
    <>
      <Facts store={store} run={run} program={program} />
      {maps.length > 0 ? (
        <Maps store={store} run={run} maps={maps} />
      ) : (
        <p class="soft">This run kept no attention maps: its model does not attend, or probe.keep was 0.</p>
      )}
      {Object.keys(run.series).length > 0 && <Course run={run} />}
      <Numbers run={run} />
      <h2>Spec</h2>
      <details>
        <summary>All settings of this run{program ? "" : ", as a spec that trains it again"}</summary>
        <pre>{run.spec}</pre>
      </details>
    </>
  );
}

function size_text(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function time_text(seconds: number): string {
  return seconds < 120
    ? `${+seconds.toPrecision(3)} s`
    : seconds < 7200
      ? `${(seconds / 60).toFixed(0)} min`
      : `${(seconds / 3600).toFixed(1)} h`;
}

function Facts({ store, run, program }: { store: KeptRuns; run: WholeRun; program: string }) {
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>
        <span class={`state ${run.state}`}>{run.state}</span> after {run.steps} steps and {time_text(run.seconds)}
        {run.error && <span class="problem"> {run.error}</span>}
      </dd>
      {program && (
        <>
          <dt>Trained by</dt>
          <dd>
            <strong>{program}</strong>, and recorded here. The numbers and maps are what that program measured.
          </dd>
        </>
      )}
      <dt>Started</dt>
      <dd>
        {run.started.replace("T", " ").replace("Z", " UTC")}, {program ? "" : `by Fovea ${run.version}, `}on{" "}
        {run.machine || "a machine that is not named"}
      </dd>
      <dt>Tags</dt>
      <dd>{run.tags?.join(", ") || "none"}</dd>
      <dt>Note</dt>
      <dd>{run.note || "none"}</dd>
      <dt>Weights</dt>
      <dd>
        {run.weights === undefined ? (
          "not kept"
        ) : (
          <>
            <a href={store.weights_address(run.run)} download={`run-${run.run}.safetensors`}>
              Download, {size_text(run.weights)}
            </a>{" "}
            (safetensors, as they were at the end)
          </>
        )}
      </dd>
      <dt>Playground</dt>
      <dd>
        <OpenInPlayground run={run} />
      </dd>
    </dl>
  );
}

function OpenInPlayground({ run }: { run: WholeRun }) {
  const [says, say] = useState("");
  const why = engine.there ? not_there(run) : "This page was built without its engine.";
  if (why) return <>Cannot be trained there. {why}</>;
  const open = () => {
    say("Preparing the playground.");
    address_in_playground(run).then(
      address => (location.hash = address),
      error => say((error as Error).message),
    );
  };
  return (
    <>
      <button type="button" onClick={open}>
        Open in Playground
      </button>{" "}
      <span class="soft" role="status">
        {says || "It is trained anew in this browser, from the same seed."}
      </span>
    </>
  );
}

function Course({ run }: { run: WholeRun }) {
  const names = Object.keys(run.series).filter(name => run.series[name]!.length > 1);
  const usual = likely_metric(names, "") || (names[0] ?? "");
  const [metric, choose] = useWord("of", usual);
  const [step] = useWord("step", "");
  const curves = useMemo<Curve[]>(
    () => [{ name: metric.replaceAll("_", " "), group: "", ...series_of(run.series[metric] ?? []) }],
    [run, metric],
  );
  const rules = useMemo(
    () => (metric === "loss" ? Object.entries(run.metrics).flatMap(([name, value]) => rung_of(name, value)) : []),
    [run, metric],
  );
  if (names.length === 0) return null;
  return (
    <section aria-labelledby="course">
      <h2 id="course">Over its steps</h2>
      <label class="pick">
        Metric
        <select value={metric} onChange={event => choose(event.currentTarget.value)}>
          {names.map(name => (
            <option value={name} selected={name === metric}>
              {name.replaceAll("_", " ")}
            </option>
          ))}
        </select>
      </label>
      <Figure
        paper
        title={`${metric.replaceAll("_", " ")} of run ${run.run}`}
        file={`run-${run.run}-${metric}`}
        table={() => ({
          columns: ["run", "metric", "step", "value"],
          rows: (run.series[metric] ?? []).map(([at, value]) => [run.run, metric, at, value]),
        })}
      >
        <Lines
          curves={curves}
          label={metric.replaceAll("_", " ")}
          now={step === "" ? undefined : Number(step)}
          rules={rules}
        />
      </Figure>
    </section>
  );
}

function Numbers({ run }: { run: WholeRun }) {
  return (
    <section aria-labelledby="numbers">
      <h2 id="numbers">What it measured last</h2>
      <dl class="facts many">
        {Object.entries(run.metrics).map(([name, value]) => (
          <>
            <dt>{name.replaceAll("_", " ")}</dt>
            <dd>{number_text(value)}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}
