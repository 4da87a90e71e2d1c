// Runs where there is no store.
import { useEffect, useState } from "preact/hooks";
import type { Experiment, Told } from "../model";
import { Scrolled } from "../scrolled";
import type { Source } from "../source";
import { as_stated } from "../story/experiment";

// A report or a site has what experiments came to, and says what it has not.
export function NoStore({ source, run }: { source: Source; run: string }) {
  const [experiments, set] = useState<Experiment[]>([]);
  useEffect(() => {
    source.story().then(
      story => set(story.experiments),
      () => {},
    );
  }, [source]);
  const here = source.kind === "report" ? "A report" : "This site";
  return (
    <>
      <h1>{run ? `Run ${run}` : "Runs"}</h1>
      <p>
        {here} contains the results of its experiments, not their runs. Curves, attention maps, weights and notes of
        single runs are in the program's store. To see your own runs: <code>fovea serve</code>
      </p>
      {experiments.length > 0 && (
        <Scrolled label="Experiments">
          <table>
            <thead>
              <tr>
                {["experiment", "runs", "seeds", "claims as stated"].map(head => (
                  <th scope="col">{head}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {experiments.map(one => {
                const { runs, seeds } = one as Partial<Told>;
                return (
                  <tr>
                    <th scope="row">
                      <a href={`#/story?open=${encodeURIComponent(one.name)}`}>{one.title || one.name}</a>
                    </th>
                    <td class="number">{runs ?? "–"}</td>
                    <td class="number">{seeds || "–"}</td>
                    <td class="number">
                      {as_stated(one.claims)} of {one.claims.length}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </Scrolled>
      )}
    </>
  );
}
