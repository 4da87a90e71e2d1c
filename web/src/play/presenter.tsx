// A training shown to a room: the stage alone and large, and a key for whatever is done to it; a clicker's keys too.
import { useEffect, useRef } from "preact/hooks";
import { change_address } from "../address";
import type { Player } from "./player";
import { type Preset, presets } from "./presets";
import type { State } from "./state";

const first_held = 60;

// Fills the screen where the browser lets it; the window all the same.
export function present() {
  // So that keys are the presentation's.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  change_address({ present: 1 }, true);
  document.documentElement.requestFullscreen?.().catch(() => {});
}

function leave() {
  if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
  change_address({ present: "" });
}

interface Props {
  player: Player<State>;
  state: State;
  hidden: string[]; // what a link leaves out has no keys
  set: (changes: Partial<State>) => void;
  begin: (preset: Preset) => void;
}

export function Presenter({ player, state, hidden, set, begin }: Props) {
  const holds = !hidden.includes("hold"),
    begins = !hidden.includes("try");
  const held_until = useRef(first_held); // by H, as it last was
  if (state.hold > 0) held_until.current = state.hold;
  const doing = useRef<(key: string) => (() => unknown) | undefined>();
  doing.current = key => {
    switch (key) {
      case " ":
        return () => (player.playing ? player.pause() : player.play());
      case "ArrowRight":
      case "PageDown":
        return () => player.go_to_next_look(player.wished);
      case "ArrowLeft":
      case "PageUp":
        return () => player.go(player.look_before(player.wished));
      case "Home":
      case "r":
        return () => player.go(0);
      case "h":
        return holds ? () => set({ hold: state.hold > 0 ? 0 : held_until.current, from: 0, step: 0 }) : undefined;
      case "Escape":
        return leave;
    }
    const preset = presets[Number(key) - 1];
    if (!preset || !begins) return undefined;
    return () => {
      held_until.current = first_held;
      begin(preset);
    };
  };
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const on = event.target instanceof Element ? event.target : document.body;
      if (
        event.key !== "Escape" &&
        (on.matches("input, select, textarea") || (event.key === " " && on.matches("button, a")))
      )
        return; // it is theirs
      const does = doing.current!(event.key.length === 1 ? event.key.toLowerCase() : event.key);
      if (!does) return;
      event.preventDefault();
      does();
    };
    // A browser takes Escape for itself where the page fills the screen.
    let filled = false;
    const changed = () => {
      if (filled && !document.fullscreenElement) leave();
      filled = document.fullscreenElement !== null;
    };
    addEventListener("keydown", pressed);
    document.addEventListener("fullscreenchange", changed);
    return () => {
      removeEventListener("keydown", pressed);
      document.removeEventListener("fullscreenchange", changed);
    };
  }, []);
  return (
    <p class="keys">
      <kbd>Space</kbd> plays and pauses, <kbd>→</kbd> goes to the next evaluation, <kbd>←</kbd> to the one before,{" "}
      <kbd>R</kbd> to the start;{" "}
      {holds && (
        <>
          <kbd>H</kbd> holds attention uniform until step {held_until.current}, or lets it go;{" "}
        </>
      )}
      {begins && (
        <>
          <kbd>1</kbd> to <kbd>{presets.length}</kbd> begin another example;{" "}
        </>
      )}
      <kbd>Esc</kbd> ends.{" "}
      <button type="button" class="quiet" onClick={leave}>
        End the presentation
      </button>
    </p>
  );
}
