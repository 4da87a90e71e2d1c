// What attention will do on texts of one's own, asked from the engine.
import { useEffect, useState } from "preact/hooks";
import { engine } from "../engine/engine";
import type { Training } from "../engine/training";
import { present } from "./places";
import type { Forecast } from "./prediction";

// It is of the data, so it holds for every training on them: the newest two are remembered.
const newest = new Map<string, Promise<Forecast>>();
export function forecast_of(training: Training): Promise<Forecast> {
  const question = {
    ask: "predict",
    most_words: 1_000_000, // all
    texts: training.setting("task", "texts"),
    labels: training.setting("task", "labels"),
    shade: training.source.map(tokens =>
      present(tokens)
        .map(token => training.word(token))
        .join(" "),
    ),
  };
  const data = JSON.stringify(question);
  const told = newest.get(data) ?? engine.ask<Forecast>(question);
  newest.delete(data);
  newest.set(data, told);
  told.catch(() => newest.get(data) === told && newest.delete(data)); // the next who asks may be told
  if (newest.size > 2) newest.delete(newest.keys().next().value!);
  return told;
}

export function useForecast(training: Training): { told?: Forecast; problem?: string } {
  const [answer, set] = useState<{ of: Training; told?: Forecast; problem?: string }>();
  useEffect(() => {
    forecast_of(training).then(
      told => set({ of: training, told }),
      (error: Error) => set({ of: training, problem: `The forecast could not be computed. ${error.message}` }),
    );
  }, [training]);
  return answer?.of === training ? answer : {};
}
