// The playground: a training that is played, paused, stepped, rewound to the same start and scrubbed through, with one
// beside it that differs in a setting. The engine trains in a worker; what is shown is what it said on the way.
import { useMemo } from "preact/hooks";
import { change_address, read_address, write_address } from "../address";
import { OwnPanel } from "../own/panel";
import { OwnTextsView } from "../own/view";
import { PredictedWidth } from "../own/width";
import { Bet, bets_in } from "../play/bet";
import { LessonPart } from "../play/part";
import type { Player } from "../play/player";
import { Presenter } from "../play/presenter";
import { PresetChoice } from "../play/preset_choice";
import { type Preset, preset_of } from "../play/presets";
import { Results } from "../play/results";
import { Settings } from "../play/settings";
import { Share } from "../play/share";
import { first, misread_in, owns, read_state, type State, task_of, words_of } from "../play/state";
import { Controls, TrainingView } from "../play/training_view";
import { usePlayer, usePlayWords, useStepInAddress, useWrongFields } from "../play/use_player";
import { useScreen } from "../screen";
import type { Source } from "../source";
import { Explained } from "../term";

export function Play({ source }: { source: Source }) {
  const words = usePlayWords();
  const presented = words.get("present") === "1";
  const embedded = words.get("embed") === "1" || presented;
  const hidden = words.get("hide")?.split(",") ?? []; // a lesson asks before it shows
  const state = read_state(words);
  const playing = usePlayer(state);
  const { player, still } = playing;
  const write_step = useStepInAddress(playing, state.step);
  const [wrong_fields, note_wrong] = useWrongFields(player);
  const { trainings, at, of = state } = player;

  // A choice is a step of the browser's way back. It is looked at from where the person is, which the address may not
  // say yet.
  const set = (changes: Partial<State>) =>
    change_address(
      { ...words_of({ step: player.wished, ...changes }), ...(changes.task !== undefined && { bet: "" }) },
      true,
    );
  const begin = (next: Preset) =>
    change_address({ ...words_of({ ...first, ...next.state }), curves: next.curves?.join(), bet: "" }, true);
  // Of fields there are many, and none changes while it plays.
  const settings = useMemo(
    () => <Settings state={state} set={set} training={trainings[0]} refusals={player.refusals} amiss={note_wrong} />,
    [playing.root, trainings[0], player.refusals],
  );

  const { wide } = useScreen(); // else the maps and curves come first
  const chosen = task_of(state),
    task = task_of(of);
  const preset = preset_of(state);
  const trains = (name: string) => trainings[0]?.setting("task", "name") === name;
  const attends = trainings.find(training => training.examples > 0) ?? trainings[0];
  const example = attends?.example(state.example) ?? 0;
  const shown = { example, until: at, file: `${of.task}-seed-${of.seed}` };
  // What comes of it is told when it has come: before, it is bet on.
  const over = at > 0 && at >= player.last;
  const idea = preset && (over || presented) ? preset.outcome : chosen.idea;
  const bets = useMemo(() => bets_in(words.get("bet"), task), [words.get("bet"), task]);
  const of_texts = chosen.own === "texts" && trains("given-texts");
  const folded = of_texts && !presented;
  const trained = (
    <TrainingView
      playing={playing}
      state={state}
      chosen={chosen}
      task={task}
      set={set}
      wrong_fields={wrong_fields}
      presented={presented}
      embedded={embedded}
      transport={!of_texts}
      bets={bets}
      names={still ? undefined : preset?.runs}
      {...shown}
    />
  );
  const results = attends && <Results player={player} attends={attends} {...shown} />;
  return (
    <div class="play">
      <PresetChoice preset={preset} begin={begin} task={state.task} set={set} seed={state.seed} />
      <LessonPart number={Number(words.get("lesson"))} />
      {presented && <h2 class="shown-as">{preset?.title ?? chosen.title}</h2>}
      <Problems player={player} misread={misread_in(words)} wrong_fields={wrong_fields} />
      {!presented && (
        <div class="idea-row">
          {wide && settings}
          {!embedded && (
            <Bet task={task} text={words.get("bet")} total={player.total} closed={at > 0 || player.playing || still} />
          )}
          {!of_texts && <Idea text={idea} whole={chosen.own !== undefined} />}
        </div>
      )}
      {chosen.own === "texts" && (
        <OwnTextsView
          trainings={of_texts ? trainings : []}
          at={at}
          example={example}
          controls={<Controls playing={playing} waits={false} />}
        />
      )}
      {chosen.own === "points" && <OwnPanel key="points" own={owns.points} />}
      {trains("given-points") && <PredictedWidth training={trainings[0]!} at={at} file={shown.file} />}
      {folded ? (
        <details class="fold">
          <summary>Curves, attention map and loss</summary>
          {trained}
          {results}
        </details>
      ) : (
        trained
      )}
      {presented && <Idea text={idea} whole />}
      {presented && <Presenter player={player} state={state} hidden={hidden} set={set} begin={begin} />}
      {(presented || !wide) && settings}
      {attends && (
        <>
          {!folded && results}
          <Share
            training={trainings[0]!}
            at={at}
            name={shown.file}
            still={still || player.stuck}
            kind={source.kind}
            note={task.own ? "A link does not carry your data: who opens it gives their own. The spec holds them." : ""}
            link={more => {
              write_step();
              return link_with(more);
            }}
          />
        </>
      )}
    </div>
  );
}

// What is trained, and what comes of it: above the maps its first sentence, and the others folded.
function Idea({ text, whole }: { text: string; whole: boolean }) {
  const end = whole ? 0 : text.search(/(?<=[.]) /);
  if (end <= 0)
    return (
      <p class="idea">
        <Explained text={text} />
      </p>
    );
  return (
    <div class="idea" key={text}>
      <Explained text={text.slice(0, end)} />{" "}
      <details>
        <summary>More</summary>
        <p>
          <Explained text={text.slice(end + 1)} />
        </p>
      </details>
    </div>
  );
}

function Problems(props: { player: Player<State>; misread: string; wrong_fields: boolean }) {
  const { player, misread, wrong_fields } = props;
  const failed = player.trainings
    .filter(({ error }) => error)
    .map(({ title, step, error }) => {
      const when = step > 0 ? `stopped at step ${step}` : "cannot begin";
      return `Training${title && ` with ${title}`} ${when}: ${error}`;
    });
  return (
    <p class="problem" role="alert">
      {[misread, player.trouble || failed.join(" ")].filter(Boolean).join(" ")}
      {player.refused && player.trainings.length > 0 && " What stands below is what was there before."}
      {wrong_fields && " What is written under Settings cannot be: correct it there, to train on or to share."}
    </p>
  );
}

// A link to what is looked at, with other words about how it is shown.
function link_with(more: { [word: string]: string }): string {
  const address = read_address();
  for (const word of ["embed", "hide", "lesson", "present"]) address.words.delete(word);
  for (const [word, value] of Object.entries(more)) if (value) address.words.set(word, value);
  return location.href.split(/[?#]/)[0] + write_address(address);
}
