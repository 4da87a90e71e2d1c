// The chapters of the evidence with their experiments, and the kept results of each.
import type { Claim, Experiment } from "../model";
import { type Chapter, chapters } from "./chapters";
import { kept_of } from "./kept";

export interface Section extends Chapter {
  experiments: Experiment[];
}

// The chapters, and one for every system that is none of them.
export function sections_of(experiments: Experiment[]): Section[] {
  const known = chapters.map(chapter => ({
    ...chapter,
    experiments: experiments.filter(one => one.system === chapter.system),
  }));
  const others = [...new Set(experiments.map(one => one.system))].filter(system =>
    chapters.every(chapter => chapter.system !== system),
  );
  return [
    ...known,
    ...others.map(system => ({
      name: `other-${system.replace(/[^a-z0-9]+/gi, "-")}`,
      system,
      title: system ? system.charAt(0).toUpperCase() + system.slice(1) : "Other experiments",
      idea: "",
      equations: [],
      tries: [],
      experiments: experiments.filter(one => one.system === system),
    })),
  ];
}

// The kept claims of these experiments, whether they were run here or not.
export const kept_claims_of = (experiments: Experiment[]): Claim[] =>
  experiments.flatMap(({ name }) => kept_of(name)).flatMap(({ claims }) => claims);
