// Two runs side by side: what they are, how they end, and a test of all pairs of runs like them.
import { useEffect, useState } from "preact/hooks";
import { change_address } from "../address";
import { has_rungs } from "../line_looks";
import { type Groups, type Line, type Run, type Setting, setting_text } from "../model";
import { interventions_text } from "../play/acts";
import type { KeptRuns } from "../source";
import { setting_of } from "./pairs";
import { condition_of, is_length, type Settings } from "./runs_named";
import { chance_told, common_step_told, difference_told, type Own, peers_of, rungs_told } from "./runs_told";

export function PairTold(props: {
  pair: [Run, Run];
  names: string[]; // of the settings in which they differ, without the seed
  of: (run: Run) => Own;
  metric: string;
  lines: Line[];
  among: Run[]; // of the table
  settings: Settings;
  store: KeptRuns | undefined;
  at: number | undefined; // the step of the values; the end without it
}) {
  const { pair, names, of, metric, lines, among, settings, store, at } = props;
  const [a, b] = pair;
  const [groups, set_groups] = useState<Groups>();
  const [counting, set_counting] = useState(false);
  const set_apart = names.filter(name => !is_length(name));
  const by = set_apart.length === 1 ? set_apart[0]! : "";
  const peers = by === "" ? [] : peers_of(pair, among, by, settings);
  const where = peers.length > 2 ? condition_of(peers) : undefined;
  useEffect(() => {
    set_groups(undefined);
    set_counting(Boolean(where && store));
    if (!where || !store) return;
    const setting = setting_of(a, by);
    const against = setting === null ? "" : setting_text(setting);
    let wanted = true;
    store.groups({ experiment: "", where, metric, at, by, against }).then(
      found => {
        if (!wanted) return;
        set_groups(found);
        set_counting(false);
      },
      () => wanted && set_counting(false), // the sentence has no group
    );
    return () => {
      wanted = false;
    };
  }, [store, where, by, metric, at, a.run, b.run]);
  const title = (value: Setting) =>
    by === "intervene" ? interventions_text(value ?? []) : value === null ? "not set" : setting_text(value);
  const test = groups?.groups.find(({ value }) => title(value) === of(b).get(by))?.test;
  const rest = peers.length - 2;
  const rungs = at === undefined ? rungs_told(pair, has_rungs(metric) ? lines : []) : "";
  return (
    <>
      <p class="lead">
        {difference_told(pair, metric, set_apart, of, at)} {at === undefined && common_step_told(pair, lines, metric)}
      </p>
      {rungs && <p>{rungs}</p>}
      <p class="caution chance">
        {chance_told(pair, set_apart, test, counting)}{" "}
        {test && rest > 0 && (
          <button
            type="button"
            class="quiet"
            onClick={() => change_address({ marked: peers.map(({ run }) => run).join(","), sides_by: by }, true)}
          >
            Compare all {peers.length} runs
          </button>
        )}
      </p>
    </>
  );
}
