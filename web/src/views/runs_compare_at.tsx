// The field for the step at which runs are compared.
import { useWord } from "../address";
import type { Run } from "../model";
import { releases_of, step_in } from "./runs_at";
import { useSlow } from "./runs_filters";

const most_releases = 3; // a button for each

export function CompareAt({ runs }: { runs: Run[] }) {
  const [asked, set] = useWord("at", "");
  const [text, type] = useSlow(asked, set);
  const last = Math.max(0, ...runs.map(({ steps }) => steps)),
    step = step_in(text);
  const releases = releases_of(runs).slice(0, most_releases);
  return (
    <div class="run-ways">
      <label>
        Compare at step
        <input
          class="step"
          inputMode="numeric"
          placeholder="last"
          value={text}
          aria-invalid={text !== "" && (step === undefined || step > last)}
          onInput={event => type(event.currentTarget.value)}
        />
      </label>
      {releases
        .filter(one => one !== step)
        .map(one => (
          <button type="button" class="quiet" onClick={() => set(String(one), true)}>
            Step {one}, the release of attention
          </button>
        ))}
      {step !== undefined && (
        <button type="button" class="quiet" onClick={() => set("", true)}>
          Last step of each run
        </button>
      )}
    </div>
  );
}
