// A metric by the values of a setting, as a table of groups, each compared with one of them as `fovea compare` does it.
import { useEffect, useId, useState } from "preact/hooks";
import { useWord } from "../address";
import { type Groups, type Run, setting_text } from "../model";
import { interventions_text } from "../play/acts";
import { metric_title } from "../run/metric_names";
import { Scrolled } from "../scrolled";
import type { KeptRuns, Source } from "../source";
import { Trouble } from "../trouble";
import { enough_pairs, means_of_pairs, p_number, short, steps_are_set, without_rounding } from "./pairs";
import { at_text } from "./runs_at";
import { MoreSeeds } from "./runs_more_seeds";
import { group_title, LeftOut, setting_cell, setting_title, steps_title, stop_at_unlike_steps } from "./runs_named";
import { few_text, verdict_of } from "./runs_verdict";

const most_verdicts = 6;

// " [0.1, 0.3]" is an interval, " (0.1 to 0.3)" the range of values that are too few for one.
function bounds_text(
  values: number,
  interval: [number, number] | undefined,
  range: [number | null, number | null] | undefined,
): string {
  if (interval) return ` [${short(interval[0])}, ${short(interval[1])}]`;
  return values > 1 && range ? ` (${short(range[0])} to ${short(range[1])})` : "";
}

// The groups of a setting, or the text of an error. Nothing is asked if they are not `wanted`.
function useGroups(
  store: KeptRuns,
  query: { experiment: string; where: string; metric: string; at: number | undefined; by: string; against: string },
  runs: Run[], // that are shown: they may have changed
  wanted = true,
): [Groups | undefined, string] {
  const [found, set_found] = useState<Groups>();
  const [trouble, set_trouble] = useState("");
  const { experiment, where, metric, at, by, against } = query;
  useEffect(() => {
    let still = true;
    set_trouble("");
    if (!wanted) return set_found(undefined);
    const ask = (base: string): Promise<Groups> => store.groups({ experiment, where, metric, at, by, against: base });
    ask(against)
      // These runs may not have the value.
      .catch(error => (against && error instanceof Trouble ? ask("") : Promise.reject(error)))
      .then(
        groups => still && set_found(groups),
        error => still && set_trouble(error instanceof Trouble ? error.message : String(error)),
      );
    return () => {
      still = false;
    };
  }, [store, experiment, where, metric, at, by, against, runs, wanted]);
  return [found, trouble];
}

// The groups of a setting and their differences from one of them, in words and as a table.
export function GroupsTable({
  heading,
  word = "against",
  source,
  store,
  experiment,
  where,
  metric,
  at,
  by,
  asked,
  runs,
}: {
  heading: string;
  word?: string; // of the address, for the group that others are compared with
  source: Source;
  store: KeptRuns;
  experiment: string;
  where: string;
  metric: string;
  at: number | undefined; // the step of its values; the end without it
  by: string;
  asked: boolean; // whether the person chose the setting
  runs: Run[];
}) {
  const id = useId();
  const [against, set_against] = useWord(word, "");
  const query = { experiment, where, by, against };
  const [opened, open] = useState(false); // the commands for missing seeds
  const of = JSON.stringify([experiment, where, by]);
  const [found, trouble] = useGroups(store, { ...query, metric, at }, runs);
  const unlike = stop_at_unlike_steps(runs),
    are_set = steps_are_set(runs);
  // Runs that a condition ends are compared by their numbers of steps, too.
  const [ends] = useGroups(store, { ...query, metric: "steps", at: undefined }, runs, unlike && !are_set);
  if (trouble) return <p class={asked ? "problem" : "soft"}>{trouble}</p>;
  if (!found || found.metric !== metric || found.at !== at || found.by !== by) return null;
  const base = found.groups.find(({ value }) => setting_text(value) === setting_text(found.against));
  const title = (value: Groups["against"]) =>
    by === "intervene" ? interventions_text(value ?? []) : value === null ? "not set" : setting_text(value);
  const name = (value: Groups["against"]) => group_title(by, title(value));
  const verdicts = (of: Groups, what: string) =>
    of.groups.slice(0, most_verdicts + 1).flatMap(({ value, measured, test }) => {
      if (!test || test.problem) return [];
      const { pairs = 0, paired_by = [] } = test;
      const sides = means_of_pairs(runs, of.metric, by, [value, of.against], paired_by);
      const compared = of.groups.find(group => setting_text(group.value) === setting_text(of.against));
      const left_out: [number, number] = [measured - pairs, (compared?.measured ?? pairs) - pairs];
      // Of more runs than the page has, the means are not known.
      const means = sides?.pairs === pairs ? sides.means : undefined;
      return verdict_of(what, name(value), name(of.against), test, means, left_out) ?? [];
    });
  const differing = [...new Set(found.groups.flatMap(({ test }) => test?.settings ?? []))].filter(name => name !== by);
  const problems = [...new Set(found.groups.flatMap(({ test }) => (test?.problem ? [test.problem] : [])))];
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      <ul class="verdicts">
        {verdicts(found, `${metric_title(metric)} ${at_text(at)}`)}
        {ends?.by === by && verdicts(ends, steps_title(runs))}
      </ul>
      {unlike && are_set && (
        <p class="soft">
          The stop condition names settings. So the number of steps is set, not found, and is not tested.
        </p>
      )}
      {few_text(found) && <p class="caution">{few_text(found)}</p>}
      {few_text(found) && <MoreSeeds key={of} {...{ source, store, runs, by, of, opened, open }} groups={found} />}
      <label class="pick">
        Compare each group with
        <select value={setting_text(found.against)} onChange={event => set_against(event.currentTarget.value, true)}>
          {found.groups.map(({ value }) => (
            <option value={setting_text(value)} selected={value === base?.value}>
              {name(value)}
            </option>
          ))}
        </select>
      </label>
      <LeftOut count={found.left_out} of={found.groups.reduce((all, group) => all + group.runs, found.left_out)} />
      <Scrolled label="Table of groups">
        <table>
          <thead>
            <tr>
              {[
                setting_title(by),
                "runs",
                "median",
                "middle half",
                "mean of all runs",
                "mean difference of pairs",
                "pairs",
                "p",
              ].map(head => (
                <th scope="col">{head}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.groups.map(
              ({ value, runs, measured, median, low_quarter, high_quarter, mean, interval, range, test }) => (
                <tr>
                  <th scope="row">{setting_cell(by, title(value))}</th>
                  <td class="number">{measured === runs ? runs : `${measured} of ${runs}`}</td>
                  <td class="number">{short(median)}</td>
                  <td class="number">
                    {median === undefined || measured < 3 ? "–" : `${short(low_quarter)} to ${short(high_quarter)}`}
                  </td>
                  <td class="number">
                    {short(mean)}
                    {bounds_text(measured, interval, range)}
                  </td>
                  {!test ? (
                    <td colSpan={3} class="soft">
                      the others are compared with it
                    </td>
                  ) : test.problem ? (
                    <td colSpan={3} class="soft">
                      cannot be paired
                    </td>
                  ) : (
                    <>
                      <td class="number">
                        {short(without_rounding(test.difference, mean))}
                        {bounds_text(
                          test.pairs ?? 0,
                          typeof test.low === "number" && typeof test.high === "number"
                            ? [test.low, test.high]
                            : undefined,
                          test.range,
                        )}
                      </td>
                      <td class="number">{test.pairs}</td>
                      <td class="number">
                        {test.pairs === 1 || test.p === null || test.p === undefined ? "–" : p_number(test.p)}
                      </td>
                    </>
                  )}
                </tr>
              ),
            )}
          </tbody>
        </table>
      </Scrolled>
      <p class="soft">
        In brackets: the 95 % interval, from {enough_pairs} values on; of fewer, the least and the largest value.
        Median, middle half and mean are of all runs of a group. Two runs are a pair if seed and all other settings that
        vary are equal, as in <code>fovea compare</code>. The difference leaves out runs without a partner, so it is not
        always the difference of the means. p is from a sign-flip permutation test of the pairs: how often chance makes
        a difference as large. With n pairs p cannot be below 2/2ⁿ.{" "}
        {at === undefined
          ? "All values are of the end of each run, also if the figure shows a part of the steps. “Compare at step” chooses another step."
          : `All values are of the last evaluation up to step ${at}. Runs that end before have no value.`}
        {differing.length > 0 && ` Groups differ in ${differing.join(", ")}, too: a difference may come from there.`}
        {problems.length > 0 && ` Not paired: ${problems.join(" ")}`}
      </p>
    </section>
  );
}
