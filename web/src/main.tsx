import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { drop_token, useAddress, write_address } from "./address";
import { usePlace } from "./place";
import { find_source, type Source } from "./source";
import { Play } from "./views/play";
import { Runs } from "./views/runs";
import { Story } from "./views/story";
import { Toy } from "./views/toy";
import { engine } from "./engine/engine";
import { useTheme } from "./theme";
import "./style.css";

// What needs the engine is there where the page was built with it.
const views = [
  { name: "story", title: "Story", show: Story },
  ...(engine.there ? [{ name: "toy", title: "Toy gate", show: Toy }, { name: "play", title: "Playground", show: Play }] : []),
  { name: "runs", title: "Runs", show: Runs },
];

function Page({ source }: { source: Source }) {
  const address = useAddress();
  const [theme, next_theme] = useTheme();
  const view = views.find((one) => one.name === address.view) ?? views[0]!;
  const Show = view.show;
  // Whoever comes back to a view finds it as it was left.
  const left = useRef(new Map<string, URLSearchParams>());
  left.current.set(view.name, address.words);
  const way_to = (name: string) => write_address({ view: name, words: left.current.get(name) ?? new URLSearchParams() });
  useEffect(() => {
    document.title = `${view.title} · Fovea`;
  }, [view]);
  usePlace(view.name);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), document.getElementById("main")?.focus())}>
        To the content
      </a>
      <header class="top">
        <span class="mark">Fovea</span>
        <nav aria-label="Views">
          {views.map((one) => (
            <a href={way_to(one.name)} aria-current={one === view ? "page" : undefined}>
              {one.title}
            </a>
          ))}
        </nav>
        <button type="button" class="quiet" onClick={next_theme} aria-label={`Colours: ${theme}. Change`}>
          {theme === "dark" ? "☾ dark" : theme === "light" ? "☀ light" : "◐ as the system"}
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <Show source={source} views={views.map((one) => one.name)} />
      </main>
    </>
  );
}

drop_token();
render(<Page source={find_source()} />, document.getElementById("page")!);
