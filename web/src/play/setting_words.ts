// Settings as a person reads them.
const plain: { [name: string]: string } = {
  seed: "Seed",
  hold: "Step until which attention is held",
  from: "Step from which attention is held",
  "task.vocab": "Words in the vocabulary",
  "task.length": "Words in a text",
  "task.width": "Features",
  "task.states": "States",
  "task.n": "Numbers in a row",
  "task.numbers": "Different numbers",
  "task.span_length": "Words in a span",
  "task.to_one": "Chance of a change after sun",
  "task.to_zero": "Chance of a change after rain",
  "model.tied": "Words read and predicted share weights",
  "model.width": "Width",
  "model.layers": "Layers",
  "model.hidden": "Hidden width",
  "model.attention": "Attention",
  "model.gate": "Gate",
  "model.heads": "Heads",
  "model.w": "w at the start",
  "train.rate": "Learning rate",
  "train.steps": "Steps",
};

// What the run beside the first is said to have otherwise.
export const beside: { [name: string]: string } = {
  seed: "seed",
  "task.vocab": "vocabulary",
  "task.length": "text length",
  "task.width": "features:",
  "task.to_one": "sun→rain",
  "task.to_zero": "rain→sun",
  "model.tied": "tied weights:",
  "model.hidden": "hidden width",
  "model.attention": "attention",
  "model.gate": "gate",
  "model.heads": "heads",
  "model.w": "w starting at",
  "train.rate": "learning rate",
  "train.steps": "steps:",
};

export function words_for(name: string): string {
  return plain[name] ?? name;
}
