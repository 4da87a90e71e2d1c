// Groups with few pairs: the seeds that are missing, trained on this machine or by commands.
import { useEffect, useState } from "preact/hooks";
import { type Groups, type Order, type Run, type Setting, setting_text } from "../model";
import { settings_of_spec, training_text } from "../run/hold";
import { useOrders } from "../run/use_orders";
import type { KeptRuns, Source } from "../source";
import { enough_pairs, setting_of } from "./pairs";

// Of each group one run, and the seeds that it lacks so that `enough_pairs` seeds are in all of them; nothing if a
// group has runs that differ in more than their seed.
export function missing_seeds(runs: Run[], by: string, values: Setting[]): { run: Run; seeds: number[] }[] | undefined {
  const done = runs.filter(({ state }) => state === "done");
  const groups = values.map(value => done.filter(run => setting_text(setting_of(run, by)) === setting_text(value)));
  const alike = (group: Run[]) => new Set(group.map(run => run.experiment + training_text(run))).size === 1;
  if (!groups.every(alike)) return undefined;
  const known = [...new Set(groups.flat().map(({ seed }) => seed))].sort((a, b) => a - b);
  for (let seed = 0; known.length < enough_pairs; ++seed) if (!known.includes(seed)) known.push(seed);
  return groups.map(group => ({
    run: group[0]!,
    seeds: known.slice(0, enough_pairs).filter(seed => group.every(run => run.seed !== seed)),
  }));
}

interface Props {
  source: Source;
  store: KeptRuns;
  runs: Run[];
  by: string;
  groups: Groups;
  of: string; // the name of these groups, for their orders
  opened: boolean; // the commands
  open: (opened: boolean) => void;
}

const most_groups = 4; // for one button

export function MoreSeeds({ source, store, runs, by, groups, of, opened, open }: Props) {
  const [shipped, set_shipped] = useState<string[]>([]);
  useEffect(() => {
    source.story().then(
      ({ experiments }) => set_shipped(experiments.map(({ name }) => name)),
      () => {}, // then the commands are there
    );
  }, [source]);
  const { start, progress, problem, failed, busy } = useOrders(source.trainer, of, async () => "Trained.");
  const paired = groups.groups.filter(({ test }) => !test?.problem).map(({ value }) => value);
  const missing = by === "seed" || paired.length > most_groups ? undefined : missing_seeds(runs, by, paired);
  const wanted = missing?.filter(({ seeds }) => seeds.length > 0) ?? [];
  if (wanted.length === 0) return null;
  const count = wanted.reduce((sum, { seeds }) => sum + seeds.length, 0),
    seconds = wanted.reduce((sum, { run, seeds }) => sum + run.seconds * seeds.length, 0);
  const seeds = [...new Set(wanted.flatMap(one => one.seeds))].sort((a, b) => a - b);
  const order = async ({ run, seeds }: (typeof wanted)[0]): Promise<Order> => {
    const { spec } = await store.run(run.run);
    return {
      ...{ experiment: run.experiment, form: "full", seeds: seeds.join() },
      set: settings_of_spec(spec, true),
    };
  };
  const train = () => Promise.all(wanted.map(order)).then(start, failed);
  return (
    <>
      {source.trainer && wanted.every(({ run }) => shipped.includes(run.experiment)) && (
        <p class="line-of">
          <button type="button" disabled={busy} onClick={train}>
            {wanted.length === paired.length && wanted.every(one => one.seeds.length === seeds.length)
              ? `Train seed${seeds.length > 1 ? "s" : ""} ${seeds.join(", ")} of ${paired.length === 2 ? "both" : "all"} groups`
              : "Train the missing seeds"}
          </button>
          <span class="soft" role="status">
            {progress ||
              `${count} run${count > 1 ? "s" : ""}, about ${+seconds.toPrecision(2)} s of one core, by the time of these runs.`}
          </span>
        </p>
      )}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <details open={opened} onToggle={event => open(event.currentTarget.open)}>
        <summary>The missing seeds by commands</summary>
        <pre>
          {wanted
            .flatMap(({ run, seeds }) => [
              `fovea show ${run.run} --spec > ${run.experiment}.toml`,
              ...seeds.map(seed => `fovea run ${run.experiment}.toml --set seed=${seed}`),
            ])
            .join("\n")}
        </pre>
      </details>
    </>
  );
}
