// Every head of a model small, layers down and heads across: one is shown large, and each can be held by its button from
// a step that can be typed.
import { useState } from "preact/hooks";
import type { Training } from "../engine/training";
import { Heatmap } from "../heatmap";
import { head_title } from "./attention";
import { StepField } from "./axis";

interface Props {
  training: Training;
  at: number;
  total: number;
  still: boolean; // nothing can be changed
  example: number;
  shown: string; // "layer.1.head.2"; "": the mean
  show: (head: string) => void;
  held: string; // the one that something is done to; "all": to each
  from: number; // from this step on
  until: number; // and up to this one
  hold: (head: string, from: number) => void; // "": none
  act: string; // what is done, in words
}

export function Heads({ training, at, total, still, example, shown, show, held, from, until, hold, act }: Props) {
  const [typed, type] = useState<number>();
  const begin = held ? from : (typed ?? (at >= total ? 0 : at));
  const released = at > until;
  const look = training.heads_at(at);
  if (!look) return null;
  const [, rows, columns] = look.shape;
  const all = [...look.heads.keys()],
    layer_of = (head: string) => head.split(".")[1]!;
  const layers = [...new Set(all.map(layer_of))];
  return (
    <section class="heads-grid" aria-label="Heads">
      <h2>Heads</h2>
      <p class="line-of">
        <span>Hold a head from step</span>
        <StepField
          name="First step of the hold"
          value={begin}
          most={total - 1}
          still={still}
          of={begin}
          take={step => (held && held !== "all" ? hold(held, step) : type(step))}
        />
        <span class="soft">{held ? "Dashed: the untouched training." : "The untouched training stays, dashed."}</span>
      </p>
      {layers.map(layer => (
        <div class="layer" key={layer}>
          <span class="soft">Layer {layer}</span>
          {all
            .filter(head => layer_of(head) === layer)
            .map(head => ({ head, is_held: held === "all" || head === held }))
            .map(({ head, is_held }) => (
              <div class="one-head" key={head}>
                <button
                  type="button"
                  class="small-map"
                  aria-pressed={head === shown}
                  aria-label={`Show ${head_title(head)} large`}
                  onClick={() => show(head === shown ? "" : head)}
                >
                  <Heatmap
                    values={look.heads.get(head)!}
                    offset={example * rows * columns}
                    rows={rows}
                    columns={columns}
                    most={1}
                    label=""
                  />
                </button>
                <button
                  type="button"
                  class="quiet"
                  aria-pressed={is_held && !released}
                  disabled={still}
                  onClick={() => hold(is_held ? "" : head, begin)}
                  aria-label={
                    !is_held
                      ? `Hold ${head_title(head)} from step ${begin} on`
                      : released
                        ? `Undo the hold of ${head_title(head)}`
                        : held === "all"
                          ? `Release all heads with ${head_title(head)}`
                          : `Release ${head_title(head)}`
                  }
                >
                  {!is_held ? "hold" : released ? "released" : act}
                </button>
              </div>
            ))}
        </div>
      ))}
    </section>
  );
}
