// Playing, pausing, stepping, rewinding.
import { PlayWords } from "./play_words";
import type { Player } from "./player";

const paces = [
  { pace: 10, title: "10 steps/s" },
  { pace: 50, title: "50 steps/s" },
  { pace: 200, title: "200 steps/s" },
  { pace: Infinity, title: "fastest" },
];

export function Transport<Wish>({ player, redraw }: { player: Player<Wish>; redraw: () => void }) {
  const { at, last, loading, playing, stuck } = player;
  // From where the person wants to be as they click: training may not have come there yet, and nothing be drawn since.
  return (
    <fieldset class="transport" aria-label="Training">
      <button type="button" onClick={() => void player.go(0)} disabled={at === 0 || stuck}>
        <span aria-hidden="true">|◀</span> <span class="name">Rewind</span>
      </button>
      <button
        type="button"
        class="main"
        onClick={() => (playing ? player.pause() : void player.play())}
        disabled={stuck || (player.trainings.length === 0 && !loading)}
      >
        <PlayWords playing={playing} ended={at > 0 && at >= last} />
      </button>
      <button
        type="button"
        onClick={() => void player.go(player.wished + 1)}
        disabled={at >= last || stuck}
        title="One update of the weights"
      >
        <span aria-hidden="true">▶|</span> <span class="name">Step</span>
      </button>
      {player.every > 1 && (
        <button
          type="button"
          onClick={() => void player.go_to_next_look(player.wished)}
          disabled={at >= last || stuck}
          title={`The model is evaluated every ${player.every} steps (probe.every)`}
        >
          <span aria-hidden="true">▶▶|</span> <span class="name">Next evaluation</span>
        </button>
      )}
      <label class="line">
        <span class="name">Speed</span>
        <select
          value={String(player.pace)}
          onChange={event => {
            player.pace = Number(event.currentTarget.value);
            redraw();
          }}
        >
          {paces.map(({ pace, title }) => (
            <option value={String(pace)} selected={pace === player.pace}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <output class="value" data-step={at} data-reached={player.reached} data-loading={loading ? "yes" : "no"}>
        <span class="name">step </span>
        {at} of {player.total}
      </output>
    </fieldset>
  );
}
