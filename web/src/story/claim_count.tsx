// How many claims are as stated: of runs here, and of the full forms whose results are kept.
import { useWord } from "../address";
import type { Experiment } from "../model";
import { count_text } from "./experiment";
import { kept_count } from "./kept";
import { kept_claims_of } from "./sections";

// How many claims are supported, in the experiments that have been reproduced, and of which form they are.
// A file has only its own results.
export function ClaimCount(props: { told: Experiment[]; of: number; failed: number; served: boolean }) {
  const { told, of, failed, served } = props;
  const [digits, set_digits] = useWord("digits", "");
  const claims = told.flatMap(one => one.claims),
    { all, stated } = kept_count();
  const forms = [...new Set(claims.map(({ form }) => form))].sort();
  if (claims.length === 0 && !served)
    return (
      <p>
        This page has no runs. The program measured the full forms before: {stated} of {all} claims are as stated. The
        program and its documentation have each claim.
      </p>
    );
  if (claims.length === 0)
    return (
      <p>
        Nothing has been reproduced yet. Begin with <code>fovea reproduce toy-uniform</code>, or{" "}
        <code>fovea reproduce --all --quick</code>.
      </p>
    );
  return (
    <div class="toll">
      <ul>
        {failed > 0 && (
          <li>
            <b>Measured before</b> (full form):{" "}
            <strong>
              {stated} of {all} claims are as stated
            </strong>
            , <a href="#/story?at=not-supported">{all - stated} are not supported</a>.
          </li>
        )}
        <li>
          <b>Run here</b> ({forms.map(form => `${form} form`).join(" and ")}): <strong>{count_text(claims)}</strong>, in{" "}
          {told.length} of {of} experiment{of === 1 ? "" : "s"}.
        </li>
      </ul>
      <p class="soft">
        The quick form has small settings and few seeds, the full form the full settings and seeds. Results measured
        before come with the program. A claim has a measured value and the value that it needs. Its null is the value
        that it would have without the effect.
      </p>
      <label class="line">
        <input
          type="checkbox"
          checked={digits === "1"}
          onChange={event => set_digits(event.currentTarget.checked ? "1" : "")}
        />{" "}
        Show the text and the formula of every claim
      </label>
    </div>
  );
}

// How many claims of the kept full forms are as stated.
export function KeptOutcome({ experiments }: { experiments: Experiment[] }) {
  const claims = kept_claims_of(experiments);
  return claims.length > 0 ? <span class="soft">Full form, kept: {count_text(claims)}.</span> : null;
}
