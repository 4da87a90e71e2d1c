// Every head of a model small, layers down and heads across: one is shown large, and each can be held by its button.

import type { Training } from "../engine/training";
import { Heatmap } from "../heatmap";
import { head_title } from "./attention";

interface Props {
  training: Training;
  at: number;
  example: number;
  shown: string; // "layer.1.head.2"; "": the mean
  show: (head: string) => void;
  held: string; // the one that something is done to
  hold: (head: string) => void; // "": none
  act: string; // what is done, in words
}

export function Heads({ training, at, example, shown, show, held, hold, act }: Props) {
  const look = training.heads_at(at);
  if (!look) return null;
  const [, rows, columns] = look.shape;
  const all = [...look.heads.keys()],
    layer_of = (head: string) => head.split(".")[1]!;
  const layers = [...new Set(all.map(layer_of))];
  return (
    <section class="heads-grid" aria-label="Heads">
      {layers.map(layer => (
        <div class="layer" key={layer}>
          <span class="soft">Layer {layer}</span>
          {all
            .filter(head => layer_of(head) === layer)
            .map(head => (
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
                  aria-pressed={head === held}
                  onClick={() => hold(head === held ? "" : head)}
                  aria-label={
                    head === held ? `Release ${head_title(head)}` : `Hold ${head_title(head)} from step ${at} on`
                  }
                >
                  {head === held ? act : "hold"}
                </button>
              </div>
            ))}
        </div>
      ))}
    </section>
  );
}
