// The attention of chosen runs side by side at one step, every head small.
import { useEffect, useState } from "preact/hooks";
import { useWord } from "../address";
import type { Run, WholeRun } from "../model";
import { maps_of } from "../run/kept";
import { Heads } from "../run/maps";
import type { KeptRuns } from "../source";
import { address_of_run } from "./run";

const most_runs = 4;

// Of a run with one map, that map.
function heads_of(run: WholeRun) {
  const maps = maps_of(run).filter(({ name }) => name !== "attention_held");
  const heads = maps.filter(({ head }) => head !== undefined);
  return heads.length > 0 ? heads : maps.slice(0, 1).map(map => ({ ...map, layer: 1, head: 1 }));
}

export function HeadsBeside({ runs, store }: { runs: Run[]; store: KeptRuns }) {
  const [whole, set_whole] = useState<WholeRun[]>([]);
  const [word, set_step] = useWord("sides_step", "");
  const [asked_example, set_example] = useWord("sides_example", "1");
  const ids = runs.map(({ run }) => run).join();
  useEffect(() => {
    let wanted = true;
    set_whole([]);
    if (runs.length < 2 || runs.length > most_runs) return;
    Promise.all(runs.map(({ run }) => store.run(run))).then(
      found => wanted && set_whole(found.filter(run => heads_of(run).length > 0)),
      () => {}, // the page of the run says why
    );
    return () => {
      wanted = false;
    };
  }, [ids, store]);
  if (whole.length < 2) return null;
  const array_of = (run: WholeRun) => run.arrays.find(({ name }) => name === heads_of(run)[0]!.name)!;
  const steps_of = (run: WholeRun) => array_of(run).steps;
  // Steps at which all of them were evaluated.
  const steps = steps_of(whole[0]!).filter(step => whole.every(run => steps_of(run).includes(step)));
  if (steps.length === 0) return null;
  const asked = Number(word);
  const at = word !== "" && steps.includes(asked) ? asked : steps.at(-1)!;
  const examples = Math.min(...whole.map(run => array_of(run).shape[0] ?? 1));
  const example = Math.max(0, Math.min(examples, Math.floor(Number(asked_example)) || 1) - 1);
  return (
    <section aria-labelledby="heads-beside">
      <h3 id="heads-beside">
        Attention at step {at}, example {example + 1}
      </h3>
      {steps.length > 1 && (
        <label class="line">
          Step
          <input
            type="range"
            min={0}
            max={steps.length - 1}
            value={steps.indexOf(at)}
            aria-valuetext={`step ${at}`}
            onInput={event => set_step(String(steps[Number(event.currentTarget.value)]!))}
          />
          {at}
        </label>
      )}
      {examples > 1 && (
        <label class="line">
          Example
          <select value={String(example + 1)} onChange={event => set_example(event.currentTarget.value)}>
            {Array.from({ length: examples }, (_, i) => (
              <option value={String(i + 1)} selected={i === example}>
                {i + 1} of {examples}
              </option>
            ))}
          </select>
        </label>
      )}
      <div class="heads-beside">
        {whole.map(run => (
          <Heads
            key={run.run}
            store={store}
            run={run}
            heads={heads_of(run)}
            at={at}
            example={example}
            chosen=""
            title={`Run ${run.run}`}
            choose={name => {
              location.hash = `${address_of_run(run.run)}&map=${name}&step=${at}`;
            }}
          />
        ))}
      </div>
    </section>
  );
}
