// Light, dark, or as the system has it; kept in this browser.
import { options } from "preact";
import { useEffect, useState } from "preact/hooks";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

function kept(): Theme {
  try {
    const found = localStorage.getItem("fovea.theme");
    return themes.find(theme => theme === found) ?? "system";
  } catch {
    return "system"; // a browser that keeps nothing
  }
}

const system = matchMedia("(prefers-color-scheme: dark)"),
  print = matchMedia("print");
let chosen = kept();

// What a canvas is painted with. It is read once for each theme: to ask a style for it lays out all that has changed
// since, which at every frame is most of a frame's work.
interface Palette {
  dark: boolean;
  text: string;
  font: string;
  of: (variable: string) => string; // "--soft"
}
let known: Palette | undefined;

export function palette(): Palette {
  if (known) return known;
  const style = getComputedStyle(document.body),
    colours = new Map<string, string>();
  const of = (variable: string) =>
    colours.get(variable) ?? colours.set(variable, style.getPropertyValue(variable)).get(variable)!;
  known = {
    dark: document.documentElement.dataset.theme === "dark",
    text: style.color,
    font: style.fontFamily,
    of,
  };
  return known;
}

// Colours are one of two sets (colours.css), whoever chose; paper is white.
function apply() {
  document.documentElement.dataset.theme = print.matches
    ? "light"
    : chosen !== "system"
      ? chosen
      : system.matches
        ? "dark"
        : "light";
  known = undefined;
  // At once: paper does not wait.
  options.debounceRendering = render => render();
  dispatchEvent(new Event("fovea-theme"));
  delete options.debounceRendering;
}
for (const media of [system, print]) media.addEventListener("change", apply);
apply();

export function useTheme(): [Theme, () => void] {
  const [theme, set] = useState<Theme>(chosen);
  useEffect(() => {
    chosen = theme;
    try {
      localStorage.setItem("fovea.theme", theme);
    } catch {
      // then it holds for this visit
    }
    apply();
  }, [theme]);
  return [theme, () => set(themes[(themes.indexOf(theme) + 1) % themes.length]!)];
}

// Draws anew when colours change: a canvas does not by itself.
export function useRepaint() {
  const [, again] = useState(0);
  useEffect(() => {
    const repaint = () => again(count => count + 1);
    addEventListener("fovea-theme", repaint);
    return () => removeEventListener("fovea-theme", repaint);
  }, []);
}
