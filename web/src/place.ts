// Where a person was in a view: who comes back to its address finds that place again, and the keyboard goes on in the
// view that was opened, not at the top of the page.
import { useEffect, useRef } from "preact/hooks";

// What stood last above the window's upper edge, and how far; what comes in later above it then moves nothing.
interface Place {
  y: number;
  mark: string | undefined;
  below: number;
}

const patience = 1500; // milliseconds, for what comes in later
const marked = "main [id^=chapter-], main [data-experiment]";
const name_of = (element: HTMLElement) => element.dataset.experiment ?? element.id;
const all_marked = () => [...document.querySelectorAll<HTMLElement>(marked)];

function place_now(): Place {
  const above = all_marked()
    .filter(element => element.getBoundingClientRect().top <= 0)
    .at(-1);
  return { y: scrollY, mark: above && name_of(above), below: above?.getBoundingClientRect().top ?? 0 };
}

const places = new Map<string, Place>(); // by address
let here = location.href;

// Registered before any view looks, so what was there still stands.
for (const moved of ["popstate", "hashchange"])
  addEventListener(moved, () => {
    const view_of = (address: string) => address.split("?")[0];
    if (view_of(here) !== view_of(location.href)) places.set(here, place_now());
    here = location.href;
  });

function back_to({ y, mark, below }: Place): () => void {
  const go = () => {
    const stood = mark && all_marked().find(element => name_of(element) === mark);
    scrollTo({ top: stood ? scrollY + stood.getBoundingClientRect().top - below : y, behavior: "instant" });
  };
  const grows = new ResizeObserver(go);
  const acts = ["wheel", "touchstart", "pointerdown", "keydown"]; // then it is the person's to scroll
  const end = () => {
    clearTimeout(timer);
    grows.disconnect();
    removeEventListener("scroll", go);
    for (const act of acts) removeEventListener(act, end);
  };
  const timer = setTimeout(end, patience);
  grows.observe(document.body);
  addEventListener("scroll", go);
  for (const act of acts) addEventListener(act, end);
  go();
  return end;
}

export function usePlace(view: string) {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return undefined;
    }
    if (document.activeElement === document.body) document.getElementById("main")!.focus({ preventScroll: true });
    const place = places.get(location.href);
    if (place) return back_to(place);
    scrollTo({ top: 0, behavior: "instant" });
    return undefined;
  }, [view]);
}
