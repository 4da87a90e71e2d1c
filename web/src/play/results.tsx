// What is looked at below the training: the loss, every position of one example, and the curve of own points.
import { change_address } from "../address";
import type { Training } from "../engine/training";
import { PooledCurve } from "../own/curve";
import { rungs_of } from "../start/rungs_told";
import { Dots } from "./dots";
import { Loss } from "./loss";
import type { Player } from "./player";
import { type State, words_of } from "./state";

interface Props {
  player: Player<State>;
  attends: Training; // whose examples there are
  example: number;
  until: number;
  file: string;
}

export function Results({ player, attends, example, until, file }: Props) {
  const { trainings, at } = player;
  const task = trainings[0]!.setting("task", "name");
  return (
    <>
      {attends.examples > 1 && <ExampleChoice training={attends} example={example} />}
      <div class="halves more">
        {rungs_of(trainings[0]).length === 0 && <Loss player={player} until={until} file={file} />}
        {trainings.map(
          training =>
            training.examples > 0 && <Dots key={training.title} training={training} at={at} example={example} />,
        )}
      </div>
      {task === "given-points" && (
        <div class={trainings.length > 1 ? "halves" : "whole"}>
          {trainings.map(training => (
            <PooledCurve key={training.title} training={training} at={at} file={file} />
          ))}
        </div>
      )}
      {trainings.map(
        training =>
          training.state === "done" &&
          training.step < training.steps && (
            <p class="soft">
              Training{training.title && ` with ${training.title}`} ended early, at step {training.step}: what it was to
              stop at (train.stop_when) is reached.
            </p>
          ),
      )}
    </>
  );
}

function ExampleChoice({ training, example }: { training: Training; example: number }) {
  return (
    <div class="line-of">
      <label class="line">
        Example
        <select
          value={String(example)}
          onChange={event => change_address(words_of({ example: Number(event.currentTarget.value) }))}
        >
          {Array.from({ length: training.examples }, (_, i) => (
            <option value={String(i)} selected={i === example}>
              {[i + 1, training.class_of(i)].filter(Boolean).join(": ")}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
