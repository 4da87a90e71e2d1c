// The training as a script of its own for PyTorch: the same start weights, the same batches, the same optimiser; it prints
// the loss of both at every look.
import { floats_in, type Attached, type Batches } from "../engine/engine";
import type { Lane } from "../engine/lane";
import { Trouble } from "../source";
import template from "./script.py?raw";

// Models of which the script knows the equations.
export function has_script(lane: Lane): boolean {
  return ["seq2seq", "gated-classifier"].includes(String(lane.setting("model", "name")));
}

export async function pytorch_script(lane: Lane, steps: number): Promise<string> {
  const refuse = (what: string) => {
    throw new Trouble(`The script can not say ${what}; the spec can.`);
  };
  const plain = (name: string, wanted: unknown) => JSON.stringify(lane.setting("train", name) ?? wanted) === JSON.stringify(wanted);
  if (!plain("optimizer", "adam") || !plain("schedule", "constant") || !plain("warmup", 0) || !plain("clip", 0)) refuse("another optimiser than Adam at one rate");
  if (Number(lane.setting("model", "dropout") ?? 0) > 0) refuse("dropout");
  if (JSON.stringify(lane.settings.intervene ?? []).includes("freeze")) refuse("frozen parameters");
  if (JSON.stringify(lane.settings.intervene ?? []).includes("truth") && lane.target.length === 0) refuse("a classifier held at the truth");
  const { weights, attached, version } = await lane.weights_at(0);
  const batches = await lane.ask<Batches>("batches", { steps });
  const ints = (part: Attached) => base64(new Int16Array(new Int32Array(batches.attached, part.at, part.bytes / 4)));
  const losses = lane.series.get("train_loss");
  const told = {
    version,
    spec: lane.spec,
    settings: lane.settings,
    vocab: batches.vocab,
    target_vocab: batches.target_vocab,
    start_token: batches.start_token,
    weights: weights.map(({ name, shape, values }) => ({ name, shape, values: base64(floats_in(attached, values)) })),
    batches: batches.batches.map(({ size, source, target, labels, alignment }) => ({ size, source: ints(source), target: ints(target), labels: ints(labels), alignment: ints(alignment) })),
    losses: (losses?.steps ?? []).map((step, i) => [step, losses!.values[i]]).filter(([step]) => (step as number) <= steps),
  };
  return template.replace("{{TOLD}}", () => JSON.stringify(told).replaceAll("\\", "\\\\"));
}

function base64(numbers: Float32Array | Int16Array): string {
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
