// The trainings that the address asks for, and the step of it that is looked at.
import { useCallback, useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { change_address, useAddress } from "../address";
import { use_own } from "../own/data";
import { Player } from "./player";
import { plan_of, type State, title_of, words_of } from "./state";

// The words of the playground's address. While the page leaves it, those of another view stand there already.
export function usePlayWords(): URLSearchParams {
  const { view, words } = useAddress();
  const here = useRef(words);
  if (view === "play") here.current = words;
  return here.current;
}

// What another training follows from.
function root_of(state: State): string {
  const { task, model, seed, set, act, by, of, hold, from, beside } = state;
  const changed = hold > 0 || /(^|;)(hold|from)=/.test(beside); // else nothing of a change matters
  return JSON.stringify([task, model, seed, set, beside, ...(changed ? [act, by, of, hold, from] : [])]);
}

export interface Playing {
  player: Player<State>;
  redraw: () => void;
  root: string; // what the trainings follow from
  loading: boolean; // they are not there yet
  still: boolean; // what stands there is of what was chosen before
}

export function usePlayer(state: State): Playing {
  const [, count_drawing] = useReducer((count: number) => count + 1, 0);
  const redraw = useCallback(() => count_drawing(undefined), []);
  const [player] = useState(() => new Player<State>(redraw));
  const own = use_own();
  const root = root_of(state) + own.changes;
  const trained_on = useRef(own.changes);
  // Before the person can do anything else: what is done next is meant for the new training.
  useLayoutEffect(() => {
    const wished = ["", ...(state.beside ? [state.beside] : [])].map(more => ({
      plan: () => plan_of(state, more),
      title: title_of(state, more),
    }));
    const step = trained_on.current === own.changes ? state.step : own.until; // the address has that of earlier data
    trained_on.current = own.changes;
    void player.load(root, state, wished, step);
  }, [root]);
  useEffect(() => () => player.end(), []);
  const loading = player.loading || player.shows !== root;
  return { player, redraw, root, loading, still: loading || player.refused };
}

// Keeps the step that is looked at and that of the address together. Returns how the address is told at once.
export function useStepInAddress({ player, root, still }: Playing, step: number): () => void {
  const written = useRef(step);
  const write_step = useCallback(() => {
    written.current = player.at;
    change_address(words_of({ step: player.at }));
  }, []);
  useLayoutEffect(() => {
    written.current = step; // the new training begins there
  }, [root]);
  // The address tells the step soon after: a browser refuses to write it at every frame.
  useEffect(() => {
    if (still || player.under_way || player.playing || player.at === written.current) return;
    const timer = setTimeout(write_step, 250);
    return () => clearTimeout(timer);
  }, [player.at, still, player.under_way, player.playing]);
  useEffect(() => {
    if (still || !player.playing) return;
    const timer = setInterval(write_step, 1000);
    return () => clearInterval(timer);
  }, [still, player.playing]);
  // And a step that comes by the address is gone to, before another is written there.
  useLayoutEffect(() => {
    if (step === written.current) return;
    written.current = step;
    void player.go(step);
  }, [step]);
  return write_step;
}

// Which fields cannot be as they are written: until they are corrected nothing is trained on.
export function useWrongFields(player: Player<State>): [any: boolean, note: (field: string, is: boolean) => void] {
  const [wrong, set_wrong] = useState<ReadonlySet<string>>(new Set());
  const note = useCallback((field: string, is: boolean) => {
    if (is) player.pause();
    set_wrong(all => new Set([...all].filter(one => one !== field).concat(is ? field : [])));
  }, []);
  player.amiss = wrong.size > 0;
  return [wrong.size > 0, note];
}
