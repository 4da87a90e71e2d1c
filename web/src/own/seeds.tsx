// What to try after one training: another model, and two more seeds of this one, with their verdicts on attention.
import { useState } from "preact/hooks";
import { address_with } from "../address";
import { Training } from "../engine/training";
import { type OfSeed, seeds_told, trust_in } from "./answer";
import { effects_of } from "./effects";
import { by_word, largest, learned_words, to_remove } from "./trust";
import { forecast_of } from "./use_forecast";

const further = 2; // seeds
const at_once = 20; // steps, between which the person hears how far it is

interface Trained {
  of: Training;
  state: "running" | "done" | "failed";
  says: string; // how far it is, what was found, or what went wrong
}

const of_seed = (training: Training, verdict: string): OfSeed => ({
  seed: training.plan.seed,
  verdict,
  word: largest(learned_words(training, training.look_at(training.step)!), 1)[0]?.word,
});

// The verdict of this training with another seed.
async function verdict_with(training: Training, seed: number, tell: (says: string) => void): Promise<OfSeed> {
  const other = await new Training({ ...training.plan, seed }).begin();
  try {
    while (other.state === "running") {
      tell(`Seed ${seed}: step ${other.step} of ${other.steps}.`);
      await other.advance(other.step + at_once);
    }
    if (other.state === "failed") throw new Error(`Seed ${seed}: ${other.error}`);
    const told = await forecast_of(other);
    const effects = await effects_of(other, to_remove(other, told));
    return of_seed(other, trust_in(other, other.step, told, effects).verdict);
  } finally {
    other.end();
  }
}

interface Props {
  training: Training;
  verdict: string; // on its attention
  leak: boolean; // words give the label, and are removed before another model is tried
}

export function FurtherTrainings({ training, verdict, leak }: Props) {
  const [trained, set] = useState<Trained>();
  const found = trained?.of === training ? trained : undefined;
  const train = async () => {
    const verdicts = [of_seed(training, verdict)];
    const tell = (says: string, state: Trained["state"] = "running") => set({ of: training, state, says });
    try {
      for (let more = 1; more <= further; ++more)
        verdicts.push(await verdict_with(training, training.plan.seed + more, tell));
      tell(seeds_told(verdicts), "done");
    } catch (error) {
      tell((error as Error).message, "failed");
    }
  };
  const other_model =
    verdict === "No" && !leak && training.setting("model", "name") !== by_word && new Set(training.labels).size === 2;
  return (
    <>
      <div class="presets">
        {other_model && (
          <a class="button" href={address_with({ model: by_word, set: undefined, step: training.steps })}>
            Try a model with a weight and a logit per word
          </a>
        )}
        <button type="button" disabled={found !== undefined && found.state !== "failed"} onClick={() => void train()}>
          Train two more seeds
        </button>
      </div>
      <p aria-live="polite">{found?.says}</p>
    </>
  );
}
