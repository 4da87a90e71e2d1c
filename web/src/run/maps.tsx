// The attention of a run over its steps: one map large, and every head small beside it.
import { useEffect, useMemo, useState } from "preact/hooks";
import { useWord } from "../address";
import { Heatmap } from "../heatmap";
import type { WholeRun } from "../model";
import { Attention } from "../play/attention";
import { TimeAxis } from "../play/axis";
import { Dots } from "../play/dots";
import { Scrolled } from "../scrolled";
import type { KeptRuns } from "../source";
import { Glimpses } from "./glimpses";
import { head_metrics, rises_of, role_at } from "./heads_told";
import { changed_at, Kept, type MapName } from "./kept";

// The map that is chosen, large, and every head small beside it.
export function Maps({ store, run, maps }: { store: KeptRuns; run: WholeRun; maps: MapName[] }) {
  // The head that learned most is shown first.
  const usual = useMemo(() => {
    const [most] = rises_of(run);
    return maps.find(({ name }) => name === most?.map) ?? maps[0]!;
  }, [run, maps]);
  const [chosen, choose] = useWord("map", usual.name);
  const map = maps.find(({ name }) => name === chosen) ?? usual;
  const [word, set_step] = useWord("step", "");
  const [asked_example, set_example] = useWord("example", "1");
  const [kept, set_kept] = useState<Kept>();
  const [trouble, set_trouble] = useState("");
  useEffect(() => {
    let wanted = true;
    Kept.load(store, run, map.name).then(
      loaded => {
        if (!wanted) return;
        set_kept(loaded);
        set_trouble("");
      },
      error => wanted && set_trouble((error as Error).message),
    );
    return () => {
      wanted = false;
    };
  }, [store, run, map.name]);
  const { steps, shape } = run.arrays.find(({ name }) => name === map.name)!;
  const last = steps.at(-1) ?? 0;
  const at = word === "" ? last : Math.min(last, Number(word) || 0);
  const examples = shape[0] ?? 1;
  const example = Math.max(0, Math.min(examples, Math.floor(Number(asked_example)) || 1) - 1);
  const index = Math.max(0, steps.filter(step => step <= at).length - 1);
  const go = (to: number) => set_step(String(steps[Math.max(0, Math.min(steps.length - 1, to))]));
  const heads = maps.filter(({ head }) => head !== undefined);
  return (
    <section class="run-maps" aria-labelledby="maps">
      <h2 id="maps">Where it attends</h2>
      <p>
        {run.axes?.rows === "place" && "A row is a position that reads, a column a position that it attends to. "}
        Dark: much attention. The weights of a row add up to 1. Move the step to see attention being learned
        {heads.length > 0 ? ", and choose a head next to the large map" : ""}.
      </p>
      <p class="problem" role="alert">
        {trouble}
      </p>
      <div class="run-ways">
        <label>
          Map
          <select value={map.name} onChange={event => choose(event.currentTarget.value, true)}>
            {maps.map(({ name, says }) => (
              <option value={name} selected={name === map.name}>
                {says}
              </option>
            ))}
          </select>
        </label>
        <label>
          Example
          <select
            value={String(example)}
            onChange={event => set_example(String(Number(event.currentTarget.value) + 1))}
          >
            {Array.from({ length: examples }, (_, i) => (
              <option value={String(i)} selected={i === example}>
                {i + 1} of {examples}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={index === 0} onClick={() => go(index - 1)}>
          ‹ Previous evaluation
        </button>
        <button type="button" disabled={index === steps.length - 1} onClick={() => go(index + 1)}>
          Next evaluation ›
        </button>
      </div>
      {map.name !== "attention_held" && changed_at(run, map, at) && (
        <p class="caution">
          At step {at}, attention is {changed_at(run, map, at)} here. This map shows the attention if it were released.{" "}
          {maps.some(({ name }) => name === "attention_held") && (
            <button type="button" class="quiet" onClick={() => choose("attention_held", true)}>
              Show the map under the change
            </button>
          )}
        </p>
      )}
      <TimeAxis total={last} at={at} still={false} go={step => set_step(String(step))} />
      <div class={heads.length > 0 ? "screen" : "screen alone"}>
        {kept?.map !== map.name || kept.run !== run ? (
          <p class="soft">Loading the map.</p>
        ) : kept.images ? (
          <Glimpses training={kept} images={kept.images} at={at} example={example} />
        ) : (
          <Attention training={kept} at={at} example={example} />
        )}
        {heads.length > 0 && (
          <Heads
            store={store}
            run={run}
            heads={heads}
            at={at}
            example={example}
            chosen={map.name}
            choose={name => choose(name, true)}
          />
        )}
        {heads.length === 0 && kept?.map === map.name && <Dots training={kept} at={at} example={example} />}
      </div>
    </section>
  );
}

const most_told = 4; // heads of a layer, for a text below each

const as_released = "The map of a changed head shows its attention if it were released.";

// A small map for each head: layers down, heads across.
export function Heads(props: {
  store: KeptRuns;
  run: WholeRun;
  heads: MapName[];
  at: number;
  example: number;
  chosen: string;
  choose: (name: string) => void;
  title?: string;
}) {
  const { store, run, heads, at, example } = props;
  const [kept, set_kept] = useState<{ example: number; of: Map<string, Kept> }>();
  useEffect(() => {
    let wanted = true;
    const load = async () => {
      const all = await Promise.all(
        heads.map(
          async ({ name }) => [name, new HeadLooks(run, name, await store.arrays(run.run, name, example))] as const,
        ),
      );
      if (wanted) set_kept({ example, of: new Map(all) });
    };
    load().catch(() => {});
    return () => {
      wanted = false;
    };
  }, [store, run, example]);
  const measured = useMemo(() => head_metrics(run, true), [run]);
  const layers = [...new Set(heads.map(({ layer }) => layer!))].sort((a, b) => a - b);
  const across = Math.max(...heads.map(({ head }) => head!));
  return (
    <figure class="figure heads">
      <figcaption>{props.title ?? `Every layer and head of example ${example + 1}`}</figcaption>
      <Scrolled label="Layers and heads">
        <table style={{ "--across": across }}>
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">Layer</span>
              </th>
              {Array.from({ length: across }, (_, i) => (
                <th scope="col">head {i + 1}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {layers.map(layer => (
              <tr>
                <th scope="row">layer {layer}</th>
                {Array.from({ length: across }, (_, i) => {
                  const map = heads.find(one => one.layer === layer && one.head === i + 1);
                  const look = map && kept?.of.get(map.name)?.look_at(at);
                  const held = map && look && changed_at(run, map, look.step);
                  const role = map && look ? role_at(measured, map.name, look.step) : "";
                  return (
                    <td>
                      {map && look && (
                        <button
                          type="button"
                          class="small-map"
                          aria-pressed={map.name === props.chosen}
                          aria-label={`Show ${map.says}${held ? `, ${held}` : ""}`}
                          title={role}
                          onClick={() => props.choose(map.name)}
                        >
                          <Heatmap
                            values={look.alpha}
                            offset={0}
                            rows={look.shape[1]}
                            columns={look.shape[2]}
                            most={1}
                            label=""
                          />
                        </button>
                      )}
                      {role && across <= most_told && <span class="role">{role}</span>}
                      {held && <span class="held">{held}</span>}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
      <p class="soft">
        {props.title === undefined
          ? "The same colours as in the large map. Choose one to see it large."
          : "Dark: much attention. Choose a map to see it large, on the page of its run."}
        {measured.length > 0 &&
          ` ${across <= most_told ? "Below a map" : "If you point at a map"}: the mean weight over all evaluated examples.`}
        {heads.some(map => changed_at(run, map, at)) && ` ${as_released}`}
      </p>
    </figure>
  );
}

class HeadLooks extends Kept {
  constructor(run: WholeRun, name: string, arrays: { step: number; shape: number[]; values: number[] }[]) {
    super(run, name);
    for (const array of arrays)
      this.take_array({ ...array, name: "attention", values: Float32Array.from(array.values) });
  }
}
