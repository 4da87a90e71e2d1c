// The page's state stands in its address, behind the '#': "#/runs?experiment=copy-subset&metric=accuracy". So a link is
// an experiment, and the browser's way back is the page's.
import { useCallback, useLayoutEffect, useState } from "preact/hooks";
import { put_names_of_today } from "./old_names";

export interface Address {
  view: string;
  words: URLSearchParams;
  old?: [old: string, now: string][]; // names in it that have changed; the words have those of today
}

// Browsers refuse to write the address all the time (some from 100 times in half a minute on): after some writes in a
// row one has to wait, and what is to be written next counts meanwhile all the same.
const in_a_row = 20,
  wait = 500; // milliseconds
let left = in_a_row,
  counted = 0;
let ahead: string | undefined; // what the address will be
let timer = 0;

function write(text: string) {
  const now = performance.now();
  left = Math.min(in_a_row, left + (now - counted) / wait);
  counted = now;
  if (left >= 1) {
    --left;
    write_now(text);
  } else {
    ahead = text;
    if (timer === 0) timer = window.setTimeout(write_ahead, wait);
  }
}
function write_ahead() {
  timer = 0;
  if (ahead !== undefined) write(ahead);
}
function write_now(text: string) {
  ahead = undefined;
  history.replaceState(null, "", text);
}

// What a person lets go of is written at once, so that who leaves, by a link or the way back, finds it there again.
// Where they go then is nothing that was written here.
const catch_up = () => ahead !== undefined && write_now(ahead);
for (const done of ["pointerup", "pointercancel", "keyup", "click", "pagehide"])
  addEventListener(done, catch_up, { capture: true });
for (const moved of ["popstate", "hashchange"])
  addEventListener(moved, event => {
    if (event.isTrusted) ahead = undefined;
  });

export function read_address(hash = ahead ?? location.hash): Address {
  const text = hash.replace(/^#\/?/, "");
  const mark = text.indexOf("?");
  const words = new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1));
  return { view: mark < 0 ? text : text.slice(0, mark), words, old: put_names_of_today(words) };
}

export function write_address(address: Address): string {
  const words = address.words.toString();
  return `#/${address.view}${words ? `?${words}` : ""}`;
}

type Changes = { [word: string]: string | number | undefined };

// The address with other words; an empty one is taken out.
export function address_with(changes: Changes): string {
  const address = read_address();
  for (const [word, value] of Object.entries(changes)) {
    if (value === undefined || value === "") address.words.delete(word);
    else address.words.set(word, String(value));
  }
  return write_address(address);
}

// Puts words into the address. What a person does often (dragging, typing) replaces the address, a choice adds a step to
// the way back.
export function change_address(changes: Changes, step = false) {
  const text = address_with(changes);
  if (text === (ahead ?? location.hash)) return;
  if (!step) write(text);
  else {
    if (ahead !== undefined) write_now(ahead);
    history.pushState(null, "", text);
  }
  dispatchEvent(new HashChangeEvent("hashchange"));
}

// A server's token comes in the address once, and then the browser keeps it: who is given the address is not given the
// token.
export function drop_token() {
  const url = new URL(location.href);
  if (!url.searchParams.has("token")) return;
  url.searchParams.delete("token");
  history.replaceState(null, "", url);
}

export function useAddress(): Address {
  const [address, set] = useState(() => read_address());
  useLayoutEffect(() => {
    const look = () => set(read_address());
    addEventListener("hashchange", look);
    addEventListener("popstate", look);
    return () => {
      removeEventListener("hashchange", look);
      removeEventListener("popstate", look);
    };
  }, []);
  return address;
}

// One word of the address as a piece of state.
export function useWord(word: string, otherwise: string): [string, (value: string, step?: boolean) => void] {
  const value = useAddress().words.get(word) ?? otherwise;
  const set = useCallback(
    (next: string, step = false) => change_address({ [word]: next === otherwise ? undefined : next }, step),
    [word, otherwise],
  );
  return [value, set];
}
