// What an experiment trains and asks, from its title and the beginning of its idea.
import { useEffect, useState } from "preact/hooks";
import type { Experiment } from "../model";
import type { Source } from "../source";
import { sections_of } from "../story/sections";

// The first sentences of a text.
export function beginning_of(text: string, sentences = 2): string {
  return text
    .trim()
    .split(/(?<=[.?!]) (?=\p{Lu})/u)
    .slice(0, sentences)
    .join(" ");
}

export function ExperimentTold({ source, name }: { source: Source; name: string }) {
  const [known, set_known] = useState<Experiment[]>([]);
  useEffect(() => {
    source.story().then(
      ({ experiments }) => set_known(experiments),
      () => {}, // the page says it elsewhere
    );
  }, [source]);
  const experiment = known.find(one => one.name === name);
  if (!experiment?.title) return null;
  const chapter = sections_of(known).find(({ system }) => system === experiment.system);
  return (
    <p class="experiment-told">
      <b>{experiment.title.replace(/(?<![.?!])$/, ".")}</b> {beginning_of(experiment.idea)}{" "}
      {chapter && <a href={`#/story?at=${chapter.name}&open=${name}`}>Its chapter</a>}
    </p>
  );
}
