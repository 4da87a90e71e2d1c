// The same run again with one head held: trained on this machine, in the playground, or by commands.
import { useEffect, useState } from "preact/hooks";
import { useAddress, write_address } from "../address";
import { engine } from "../engine/engine";
import type { Table, WholeRun } from "../model";
import { acts, interventions_of, interventions_text } from "../play/acts";
import type { Source } from "../source";
import { rises_of } from "./heads_told";
import { settings_of_spec, spec_of, training_text } from "./hold";
import { address_in_playground, not_there, task_of } from "./in_playground";
import { type MapName, other_program } from "./kept";
import { useOrders } from "./use_orders";

const part_of = (map: string) => map.replace(/^attention\./, "");
const stream_acts = ["uniform", "previous", "first", "ablate"];

// What can be done to the attention of this run.
function acts_for(run: WholeRun, of_heads: boolean): string[] {
  const known =
    task_of(run)?.acts ??
    (run.axes?.rows === "place"
      ? [...stream_acts, ...("weight_on_needed" in run.metrics ? ["truth"] : [])]
      : ["uniform"]);
  return known.filter(name =>
    ["uniform", "truth", "previous", "first", ...(of_heads ? ["ablate"] : [])].includes(name),
  );
}

export function HoldHead({ source, run, maps }: { source: Source; run: WholeRun; maps: MapName[] }) {
  const { words } = useAddress();
  const heads = maps.filter(({ head }) => head !== undefined);
  const first = rises_of(run)[0]?.map ?? heads.at(-1)?.name ?? "";
  const shown = words.get("map") ?? first;
  const chosen = heads.some(({ name }) => name === shown) ? shown : first;
  const [head, set_head] = useState<string>(); // "": all attention
  const [act, set_act] = useState("uniform");
  const [typed, type] = useState<string>();
  const ways = acts_for(run, heads.length > 0);
  if (other_program(run) || ways.length === 0) return null;
  const of = head ?? (heads.length > 0 ? part_of(chosen) : ""),
    step = typed ?? "0";
  const from = /^\d+$/.test(step) && Number(step) < run.steps ? Number(step) : undefined;
  const own = (Array.isArray(run.settings.intervene) ? run.settings.intervene : []) as Table[];
  const layers = new Set(heads.map(({ layer }) => layer)).size || 1;
  const done = interventions_of(act, of, from ?? 0, undefined, 1, layers).map(one => {
    const { from, ...rest } = one;
    return from ? { ...rest, from } : rest;
  }) as Table[];
  const at = Number(words.get("step") ?? NaN);
  return (
    <section class="run-hold" aria-labelledby="hold-head">
      <h2 id="hold-head">{heads.length > 0 ? "Hold a head" : "Hold attention"}</h2>
      <p>
        A hold fixes attention in training. Train this run again with a hold, and compare the rungs at which both end:
        if the held run stays on a rung with a higher loss, the model needs{" "}
        {heads.length > 0 ? "this head" : "learned attention"} to leave it.
      </p>
      {own.length > 0 && <p>This run has an intervention: {interventions_text(own)}. The hold is added to it.</p>}
      <div class="run-ways">
        {heads.length > 0 && (
          <label>
            Head
            <select value={of} onChange={event => set_head(event.currentTarget.value)}>
              {heads.map(({ name, says }) => (
                <option value={part_of(name)} selected={part_of(name) === of}>
                  {says}
                </option>
              ))}
              <option value="" selected={of === ""}>
                all heads
              </option>
            </select>
          </label>
        )}
        <label>
          Hold
          <select value={act} onChange={event => set_act(event.currentTarget.value)}>
            {acts
              .filter(({ name }) => ways.includes(name))
              .map(({ name, title }) => (
                <option value={name} selected={name === act}>
                  {title}
                </option>
              ))}
          </select>
        </label>
        <label>
          From step
          <input
            class="step"
            inputMode="numeric"
            value={step}
            aria-invalid={from === undefined}
            onInput={event => type(event.currentTarget.value)}
          />
        </label>
        {at > 0 && at < run.steps && at !== from && (
          <button type="button" onClick={() => type(String(at))}>
            Use step {at} of the map
          </button>
        )}
      </div>
      {from === undefined ? (
        <p class="problem" role="alert">
          The step must be from 0 to {run.steps - 1}.
        </p>
      ) : (
        <Trainings key={spec_of(done)} source={source} run={run} own={own} added={done} act={act} of={of} from={from} />
      )}
    </section>
  );
}

function Trainings(props: {
  source: Source;
  run: WholeRun;
  own: Table[]; // interventions of the run
  added: Table[];
  act: string;
  of: string;
  from: number;
}) {
  const { source, run, own, added, act, of, from } = props;
  const done = [...own, ...added];
  const [other, set_other] = useState<number>(); // the run with the hold
  const [shipped, set_shipped] = useState(false); // the server trains no experiments of files
  const { trainer } = source;
  useEffect(() => {
    source.story().then(
      ({ experiments }) => set_shipped(experiments.some(({ name }) => name === run.experiment)),
      () => {}, // then the commands are there
    );
  }, [source, run.experiment]);
  // A job has no numbers of its runs, so the run is found by its settings.
  const { start, progress, problem, failed, busy } = useOrders(trainer, `${run.run} ${spec_of(done)}`, async () => {
    const { runs } = await source.runs({ experiment: run.experiment, where: `seed = ${run.seed}`, sort: "-id" });
    const wanted = training_text(run, done);
    const found = runs.find(one => training_text(one) === wanted);
    set_other(found?.run);
    return found ? "" : "Done. The new run is in the table of runs.";
  });
  const train = () =>
    start([
      {
        ...{ experiment: run.experiment, form: "full", seeds: String(run.seed) },
        set: [...settings_of_spec(run.spec), `intervene=${spec_of(done)}`],
      },
    ]);
  const compared = new URLSearchParams({ experiment: run.experiment, marked: `${run.run},${other}` });
  if (run.series.loss) compared.set("metric", "loss");
  // The playground has one intervention at a time.
  const why = !engine.there || own.length > 0 || not_there(run) !== "";
  const open = () => {
    address_in_playground(run, { act, of, from, hold: run.steps }).then(address => (location.hash = address), failed);
  };
  return (
    <>
      <p class="line-of">
        {trainer && shipped && (
          <button type="button" class="main" disabled={busy} onClick={train}>
            Train again with the hold
          </button>
        )}
        {!why && (
          <button type="button" onClick={open}>
            Open in Playground with the hold
          </button>
        )}
        <span role="status">
          {progress}
          {other !== undefined && (
            <a href={write_address({ view: "runs", words: compared })}>
              Compare run {run.run} with run {other}: {interventions_text(done)}
            </a>
          )}
        </span>
      </p>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <details>
        <summary>The same by commands</summary>
        <pre>{`fovea show ${run.run} --spec > run-${run.run}.toml
fovea run run-${run.run}.toml --set 'intervene=${spec_of(done)}'
fovea compare ${run.run} NUMBER    # the number of the new run`}</pre>
      </details>
    </>
  );
}
