// The training as a script of its own for PyTorch: the same start weights, the same batches, the same optimiser; it
// prints the loss of both at every look.
import type { Attached, Batches } from "../engine/engine";
import type { Training } from "../engine/training";
import type { Setting } from "../model";
import { Trouble } from "../trouble";
import template from "./script.py?raw";

// What the script says: of each table the settings that it follows, or that change nothing it does, whatever they are,
// and those of which it knows one value alone. Any other is refused.
interface Said {
  any: string[];
  only: { [name: string]: Setting };
}
const recurrent = ["name", "embedding", "hidden", "cell", "bidirectional", "attention", "biases"];
const models: { [name: string]: Said } = {
  "gated-classifier": { any: [...recurrent, "score", "score_hidden"], only: { dropout: 0, embedding_spread: 1 } },
  seq2seq: { any: [...recurrent, "layers", "combiner"], only: { dropout: 0 } },
};
const of_training: Said = {
  any: [
    ...["steps", "batch", "start", "stop_when", "rate", "beta1", "beta2", "epsilon", "precision"],
    ...["momentum", "floor", "period", "factor"], // of optimisers and schedules that are refused
    ...["threads", "shards", "keep_weights", "checkpoints"],
  ],
  only: { optimizer: "adam", weight_decay: 0, clip: 0, schedule: "constant", warmup: 0, data_parallel: false },
};
const interval = ["from", "until"];

// Models of which the script knows the equations.
export function has_script(training: Training): boolean {
  return String(training.setting("model", "name")) in models;
}

function refuse(what: string): never {
  throw new Trouble(`The script cannot say ${what}; the spec can.`);
}

function table_of(of: Setting | undefined): { [name: string]: Setting } {
  return of !== null && typeof of === "object" && !Array.isArray(of) ? of : {};
}

function refuse_unsaid(training: Training) {
  const look_through = (section: string, { any, only }: Said) => {
    for (const [name, value] of Object.entries(table_of(training.settings[section])))
      if (!any.includes(name) && !(name in only && only[name] === value))
        refuse(`${section}.${name} = ${JSON.stringify(value)}`);
  };
  look_through("model", models[String(training.setting("model", "name"))]!);
  look_through("train", of_training);
  for (const intervention of training.interventions) {
    const other = Object.keys(intervention).find(name => name !== "hold" && !interval.includes(name));
    if (other) refuse(`the intervention ${other}`);
    if (intervention.hold === "truth" && training.setting("model", "name") !== "seq2seq")
      refuse("a classifier held at the truth");
  }
}

export async function pytorch_script(training: Training, steps: number): Promise<string> {
  refuse_unsaid(training);
  const losses = training.series.get("train_loss");
  const first = losses?.steps[0];
  if (first === undefined || first > steps)
    throw new Trouble(
      `There is no loss to compare before the first evaluation: go to step ${first ?? training.every}.`,
    );
  const { weights, attached, version } = await training.weights_at(0);
  const batches = await training.ask<Batches>("batches", { steps });
  if (training.setting("model", "name") === "seq2seq" && batches.vocab !== batches.target_vocab)
    refuse("words of two vocabularies");
  const ints = (part: Attached) => base64(new Uint8Array(batches.attached, part.at, part.bytes));
  const told = {
    version,
    spec: training.spec,
    settings: training.settings,
    vocab: batches.vocab,
    target_vocab: batches.target_vocab,
    start_token: batches.start_token,
    weights: weights.map(({ name, shape, type, values }) => ({
      name,
      shape,
      type,
      values: base64(new Uint8Array(attached, values.at, values.bytes)),
    })),
    batches: batches.batches.map(({ size, source, target, labels, alignment }) => ({
      size,
      source: ints(source),
      target: ints(target),
      labels: ints(labels),
      alignment: ints(alignment),
    })),
    losses: losses!.steps.map((step, i) => [step, losses!.values[i]]).filter(([step]) => (step as number) <= steps),
  };
  return template.replace("{{TOLD}}", () => JSON.stringify(told).replaceAll("\\", "\\\\"));
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
