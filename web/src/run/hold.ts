// A run again with a hold, as a spec and as a training that is started from the page.
import { flat_settings, type Table, type WholeRun } from "../model";

// An intervention as a spec has it: {hold="uniform", of="layer.2.head.1"}.
export const spec_of = (all: Table[]): string =>
  `[${all
    .map(
      one =>
        `{${Object.entries(one)
          .map(([word, value]) => `${word}=${JSON.stringify(value)}`)
          .join(", ")}}`,
    )
    .join(", ")}]`;

// Every setting of a run but its seed and interventions, for a training that differs in nothing else. `whole`: with its
// interventions.
export const settings_of_spec = (spec: string, whole = false): string[] =>
  spec.split("\n").flatMap(line => {
    const [, name = "", value = ""] = /^(\S+) = (.+)$/.exec(line) ?? [];
    return name === "" || name === "seed" || (!whole && name.startsWith("intervene")) ? [] : [`${name}=${value}`];
  });

// The settings that two runs must share to be the same training.
export function training_text({ settings }: Pick<WholeRun, "settings">, done = settings.intervene as Table[]): string {
  const own = (name: string) => /^(task|model|train)\./.test(name) && !/^train\.threads$/.test(name);
  const flat = [...flat_settings(settings)].filter(([name]) => own(name)).sort();
  return JSON.stringify([
    flat,
    done.map(one => [one.hold ?? "", one.ablate ?? "", one.of ?? "", one.from ?? 0, one.until ?? ""]),
  ]);
}
