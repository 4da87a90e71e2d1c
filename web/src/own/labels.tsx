// Texts that may have a wrong label.
import type { Forecast } from "./prediction";
import { name_of_text } from "./texts";

const most_doubtful = 10;

const hides = " A word that gives a label away can hide wrong labels: remove it first, and check again.";

export const percent = (share: number) => `${Math.round(100 * share)}\u00a0%`;

export function Labels({
  doubtful,
  accuracy,
  majority,
  repeats,
  learned,
  false_alarms,
  leak,
}: Forecast["prediction"]["labels"] & { leak: boolean }) {
  if (repeats > 0 && !learned)
    return (
      <p class="soft">
        Fovea also looks for wrong labels, by simple models that count words. Here this is impossible: these models
        label only {percent(accuracy)} of held-out texts correctly, and the most frequent label alone is right for{" "}
        {percent(majority)}.
      </p>
    );
  if (repeats === 0) return null;
  if (doubtful.length === 0)
    return (
      <p class="soft">
        Fovea also looked for wrong labels, by simple models that count words. These models contradict no label clearly.
        They label {percent(accuracy)} of the texts correctly that they were not trained on. So some labels can still be
        wrong.{leak && hides}
      </p>
    );
  return (
    <>
      <h3>{doubtful.length === 1 ? "Check this label" : `Check these ${doubtful.length} labels`}</h3>
      <ul>
        {doubtful.slice(0, most_doubtful).map(one => (
          <li key={one.text}>
            {name_of_text(one.text - 1)} is labelled{" "}
            <b>
              <bdi>{one.label}</bdi>
            </b>
            . All models predict{" "}
            <b>
              <bdi>{one.instead}</bdi>
            </b>
            : <bdi>{one.words}</bdi>
          </li>
        ))}
      </ul>
      <p class="soft">
        {doubtful.length > most_doubtful && `The ${most_doubtful} clearest of ${doubtful.length}. `}
        The models read single words. They label {percent(accuracy)} of the texts correctly that they were not trained
        on. Expected number of correct labels in this list: {false_alarms.toFixed(1)}.{leak && hides}
      </p>
    </>
  );
}
