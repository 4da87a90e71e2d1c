// One run of the store: what it was, its curves, and its attention over the steps, every layer and head at a glance.
import { useEffect, useMemo, useState } from "preact/hooks";
import { read_address, useWord, write_address } from "../address";
import { engine } from "../engine/engine";
import { number_text, type WholeRun } from "../model";
import { interventions_text, none } from "../play/acts";
import { Course, Events, HeadCourse } from "../run/course";
import { is_rung, rung_called } from "../run/events";
import { ExperimentTold } from "../run/experiment_told";
import { happened_in, trained_in } from "../run/happened";
import { rises_of } from "../run/heads_told";
import { HoldHead } from "../run/hold_head";
import { address_in_playground, not_there } from "../run/in_playground";
import { maps_of, other_program } from "../run/kept";
import { Maps } from "../run/maps";
import { meaning_of } from "../run/meanings";
import { is_detail, metric_groups, metric_title } from "../run/metric_names";
import type { KeptRuns, Source } from "../source";
import { Explained, Term } from "../term";
import { Trouble } from "../trouble";
import { every } from "./runs_filters";

// Takes what the page of a run shows out of the words of an address.
export function leave_run(words: URLSearchParams) {
  for (const word of ["run", "step", "map", "example", "of"]) words.delete(word);
}

// The runs as they are filtered, with what the page of a run shows left out; of one run that page.
export function address_of_all(id?: number): string {
  const { words } = read_address();
  leave_run(words);
  if (id !== undefined) words.set("run", String(id));
  return write_address({ view: "runs", words });
}

export const address_of_run = (id: number): string => address_of_all(id);

// What was done in it, for its title.
function held_in(run: WholeRun): string {
  const done = interventions_text(run.settings.intervene);
  return done === none ? "" : `, ${done}`;
}

// The way back: to the runs as they were filtered, else to those of the run's experiment.
function WayBack({ run }: { run: WholeRun | undefined }) {
  const { words } = read_address(address_of_all());
  const filtered = words.get("experiment") ?? "";
  const experiment = filtered === every ? "" : filtered || run?.experiment || "";
  const to = (name: string) => {
    const with_name = new URLSearchParams(words);
    with_name.set("experiment", name);
    return write_address({ view: "runs", words: with_name });
  };
  return (
    <p class="way-back">
      {experiment && <a href={to(experiment)}>← Runs of {experiment}</a>}{" "}
      <a href={to(every)}>{experiment ? "" : "← "}All runs</a>
    </p>
  );
}

export function RunPage({ source, store, id }: { source: Source; store: KeptRuns; id: string }) {
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
      <WayBack run={run} />
      <h1>
        Run {id}
        {run && `: ${run.experiment}, seed ${run.seed}${held_in(run)}`}
      </h1>
      <p class="problem" role="alert">
        {trouble}
      </p>
      {!run && !trouble && <p class="soft">Loading the run.</p>}
      {run && <Whole key={run.run} source={source} store={store} run={run} />}
    </>
  );
}

function Whole({ source, store, run }: { source: Source; store: KeptRuns; run: WholeRun }) {
  const program = other_program(run);
  const maps = useMemo(() => maps_of(run), [run]);
  const with_heads = useMemo(() => rises_of(run).length > 0, [run]);
  const [step] = useWord("step", "");
  const now = step === "" ? undefined : Number(step);
  const facts = <Facts store={store} run={run} program={program} />;
  return (
    <>
      <div class="run-told">
        <p class="lead">{trained_in(run)}</p>
        <p class="lead">
          <Explained text={happened_in(run)} />
        </p>
        <ExperimentTold source={source} name={run.experiment} />
      </div>
      <Events run={run} />
      <div class="run-top">
        {Object.keys(run.series).length > 0 && <Course run={run} now={now} />}
        {with_heads ? <HeadCourse run={run} now={now} /> : facts}
      </div>
      {maps.length > 0 ? (
        <Maps store={store} run={run} maps={maps} />
      ) : (
        <p class="soft">This run kept no attention maps: its model does not attend, or probe.keep was 0.</p>
      )}
      {maps.length > 0 && <HoldHead source={source} run={run} maps={maps} />}
      <Numbers run={run} program={program} />
      <h2>{with_heads ? "Record and spec" : "Spec"}</h2>
      {with_heads && facts}
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
      {run.tags?.length ? (
        <>
          <dt>Tags</dt>
          <dd>{run.tags.join(", ")}</dd>
        </>
      ) : null}
      {run.note && (
        <>
          <dt>Note</dt>
          <dd>{run.note}</dd>
        </>
      )}
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

// The usual numbers and those of the experiment first; each kind of detail is folded.
function Numbers({ run, program }: { run: WholeRun; program: string }) {
  const groups = metric_groups(Object.keys(run.metrics));
  const folded = ({ names }: (typeof groups)[0]) => is_detail(names[0]!);
  const list = (names: string[]) => (
    <dl class="facts many">
      {names.map(name => (
        <>
          <dt>
            <Term word={name} means={is_detail(name) ? undefined : meaning_of(name, program)}>
              {metric_title(name)}
            </Term>
          </dt>
          <dd>
            {number_text(run.metrics[name]).replace("-", "−")}
            {is_rung(name) && ` (${rung_called(run, name, run.metrics[name]) ?? "no name"})`}
          </dd>
        </>
      ))}
    </dl>
  );
  return (
    <section aria-labelledby="numbers">
      <h2 id="numbers">Numbers at the end</h2>
      {list(groups.filter(group => !folded(group)).flatMap(({ names }) => names))}
      {groups.filter(folded).map(({ label, names }) => (
        <details>
          <summary>
            {label} ({names.length})
          </summary>
          {list(names)}
        </details>
      ))}
    </section>
  );
}
