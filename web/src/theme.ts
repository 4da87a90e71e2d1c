// Light, dark, or as the system has it; kept in this browser.
import { useEffect, useState } from "preact/hooks";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

function kept(): Theme {
  try {
    const found = localStorage.getItem("fovea.theme");
    return themes.find((theme) => theme === found) ?? "system";
  } catch {
    return "system"; // a browser that keeps nothing
  }
}

export function useTheme(): [Theme, () => void] {
  const [theme, set] = useState<Theme>(kept);
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("fovea.theme", theme);
    } catch {
      // then it holds for this visit
    }
    dispatchEvent(new Event("fovea-theme"));
  }, [theme]);
  return [theme, () => set(themes[(themes.indexOf(theme) + 1) % themes.length]!)];
}

export function is_dark(): boolean {
  return getComputedStyle(document.documentElement).colorScheme === "dark";
}

// Draws anew when colours change: a canvas does not by itself.
export function useRepaint() {
  const [, again] = useState(0);
  useEffect(() => {
    const repaint = () => again((count) => count + 1);
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", repaint);
    addEventListener("fovea-theme", repaint);
    return () => {
      system.removeEventListener("change", repaint);
      removeEventListener("fovea-theme", repaint);
    };
  }, []);
}
