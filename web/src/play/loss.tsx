// The loss of trainings over their steps, and where it is among the plateaus that were predicted for it.
import { useMemo } from "preact/hooks";
import type { Training } from "../engine/training";
import { Figure } from "../figure";
import { Lines } from "../lines";
import { as_it_works, free } from "../start/effect";
import { rungs_of, rungs_told } from "../start/rungs_told";
import { Explained } from "../term";
import { curves_of, table_of } from "./curves_of";
import type { Player } from "./player";
import { RungList } from "./rung_list";
import { ghost, type State } from "./state";

export const not_yet = "Press Play: curves appear here.";

interface Props {
  player: Player<State>;
  until: number; // what comes after this step is hidden
  file: string;
  room?: { letters: number; height: number }; // shown to a room: the drawing alone, as large as this
}

export function Loss({ player, until, file, room }: Props) {
  const { trainings, progress } = player;
  const rungs = useMemo(() => rungs_of(trainings[0]), [trainings[0]]);
  const losses = useMemo(() => {
    const untouched = player.of?.beside === ghost ? trainings[1] : undefined;
    if (rungs.length === 0) return curves_of(trainings, ["train_loss"], until, untouched);
    const names = trainings.some(training => training.series.has("loss_held")) ? ["loss", "loss_held"] : ["loss"];
    return curves_of(trainings, names, until, untouched, series_of);
  }, [trainings, progress, until, rungs]);
  const has_rungs = rungs.length > 0;
  return (
    <Figure title="Loss" file={`${file}-loss`} table={() => table_of(losses)} empty={player.at === 0}>
      {has_rungs && !room && (
        <div class="rung-told" style={{ minHeight: `${1.5 * trainings.length}em` }}>
          {rungs_told(trainings, rungs, player.at).map(says => (
            <p>{says}</p>
          ))}
        </div>
      )}
      <Lines
        curves={losses}
        label="loss"
        empty={not_yet}
        now={player.at}
        steps={player.total}
        rules={rungs}
        {...(has_rungs && { height: 230 })}
        {...room}
      />
      {has_rungs && !room && (
        <>
          <div class="soft rungs-meant">
            <p>
              <Explained text="Lower loss is better. Each thin horizontal line (a rung) is predicted from the data, before training. It is the loss, over all positions that have an answer, of an ideal model that uses only this:" />
            </p>
            <RungList rungs={rungs} task={player.of?.task ?? ""} />
            <p>If the loss stays near a line, the model has probably learned this, and not yet more.</p>
          </div>
          {trainings.some(training => training.series.has("loss_held")) && (
            <p class="soft">
              While attention is changed, “loss” is of the model as it trains. “loss, {free}” is of the same model at
              the same step, with the attention that it chooses by itself.
            </p>
          )}
        </>
      )}
    </Figure>
  );
}

// In the steps of a change the loss is of the model as it trains, and the loss with attention free has a curve of its own.
function series_of(training: Training, metric: string) {
  if (metric === "loss") return as_it_works(training, "loss");
  const held = training.series.get("loss_held"),
    loss = training.series.get("loss");
  if (!held || !loss) return undefined;
  const of = new Map(loss.steps.map((step, i) => [step, loss.values[i]!]));
  return { steps: held.steps, values: held.steps.map(step => of.get(step) ?? null) };
}
