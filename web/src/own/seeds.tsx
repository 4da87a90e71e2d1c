// What to try after one training: another model, and two more seeds of this one, with their verdicts on attention.
import { useState } from "preact/hooks";
import { Training } from "../engine/training";
import { trust_in } from "./answer";
import { effects_of } from "./effects";
import { by_word, to_remove } from "./trust";
import { forecast_of } from "./use_forecast";

const further = 2; // seeds
const at_once = 20; // steps, between which the person hears how far it is

interface Trained {
  of: Training;
  verdicts: { seed: number; verdict: string }[];
  says: string; // how far it is, or what went wrong
  failed?: boolean;
}

// The verdict of this training with another seed.
async function verdict_with(training: Training, seed: number, tell: (says: string) => void): Promise<string> {
  const other = await new Training({ ...training.plan, seed }).begin();
  try {
    while (other.state === "running") {
      tell(`Seed ${seed}: step ${other.step} of ${other.steps}.`);
      await other.advance(other.step + at_once);
    }
    if (other.state === "failed") throw new Error(`Seed ${seed}: ${other.error}`);
    const told = await forecast_of(other);
    return trust_in(other, other.step, told, await effects_of(other, to_remove(other, told))).verdict;
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
    const verdicts = [{ seed: training.plan.seed, verdict }];
    const tell = (says: string) => set({ of: training, verdicts: [...verdicts], says });
    try {
      for (let more = 1; more <= further; ++more) {
        const seed = training.plan.seed + more;
        verdicts.push({ seed, verdict: await verdict_with(training, seed, tell) });
      }
      tell("");
    } catch (error) {
      set({ of: training, verdicts, says: (error as Error).message, failed: true });
    }
  };
  const other_model =
    verdict === "No" && !leak && training.setting("model", "name") !== by_word && new Set(training.labels).size === 2;
  return (
    <>
      <div class="presets">
        {other_model && (
          <a class="button" href={`#/play?task=own&model=${by_word}&step=${training.steps}`}>
            Try a model with a weight and a logit per word
          </a>
        )}
        <button type="button" disabled={found !== undefined && !found.failed} onClick={() => void train()}>
          Train two more seeds
        </button>
      </div>
      <p aria-live="polite">{found && (found.says || compared(found.verdicts))}</p>
    </>
  );
}

// In how many trainings the verdict is that of the first.
function compared(verdicts: Trained["verdicts"]): string {
  const [first] = verdicts,
    same = verdicts.filter(({ verdict }) => verdict === first!.verdict).length,
    count = `${same} of ${verdicts.length} trainings`;
  if (same === verdicts.length)
    return `The verdict is “${first!.verdict}” in ${count} (seeds ${first!.seed} to ${verdicts.at(-1)!.seed}).`;
  const each = verdicts.map(({ seed, verdict }) => `seed ${seed} “${verdict}”`).join(", ");
  return `The verdict is the same in ${count}: ${each}.`;
}
