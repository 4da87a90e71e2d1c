// The window's size, for what is to fit into it.
import { useEffect, useState } from "preact/hooks";

const now = () => ({ width: innerWidth, height: innerHeight, wide: innerWidth > 820 });

export function useScreen() {
  const [screen, set] = useState(now);
  useEffect(() => {
    const look = () => set(now());
    addEventListener("resize", look);
    return () => removeEventListener("resize", look);
  }, []);
  return screen;
}
