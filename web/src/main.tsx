import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { drop_token, useAddress, write_address } from "./address";
import { engine } from "./engine/engine";
import { usePlace } from "./place";
import { find_source, type Source } from "./source";
import { useTheme } from "./theme";
import { Engineless } from "./views/engineless";
import { Play } from "./views/play";
import { leave_run } from "./views/run";
import { Runs } from "./views/runs";
import { Start } from "./views/start";
import { Story } from "./views/story";
import { Toy } from "./views/toy";
import "./colours.css";
import "./base.css";
import "./style.css";
import "./start.css";
import "./start_told.css";
import "./story.css";
import "./story_chapters.css";
import "./findings.css";
import "./play.css";
import "./play_own.css";
import "./toy.css";
import "./screen.css";
import "./screen_small.css";
import "./run.css";
import "./runs.css";
import "./shown.css";
import "./small.css";

const views = [
  { name: "start", title: "Start", show: Start },
  { name: "story", title: "Story", show: Story },
  { name: "toy", title: "Toy gate", show: Toy, computes: true },
  { name: "play", title: "Playground", show: Play, computes: true },
  { name: "runs", title: "Runs", show: Runs },
];

function Page({ source }: { source: Source }) {
  const address = useAddress();
  const [theme, next_theme] = useTheme();
  const asked = address.view || source.opens;
  const view = views.find(one => one.name === asked) ?? views[0]!;
  // In a frame of another page: what is looked at, and nothing around it.
  const embedded = address.words.get("embed") === "1";
  const presented = view.name === "play" && address.words.get("present") === "1"; // to a room
  const own = view.name === "play" && address.words.get("task") === "own"; // the person's own texts
  const hidden = (address.words.get("hide") ?? "").replaceAll(",", " "); // controls that a lesson does not want
  const Show = view.show;
  // Whoever comes back to a view finds it as it was left.
  const left = useRef(new Map<string, URLSearchParams>());
  left.current.set(own ? "own" : view.name, address.words);
  const way_to = (name: string) => {
    const words = new URLSearchParams(left.current.get(name));
    if (name === "runs") leave_run(words); // the menu leads to all of them
    return write_address({ view: name, words });
  };
  const way_to_own = write_address({
    view: "play",
    words: left.current.get("own") ?? new URLSearchParams({ task: "own" }),
  });
  useEffect(() => {
    document.title = `${view.title} · Fovea`;
  }, [view]);
  useEffect(() => {
    document.documentElement.classList.toggle("embedded", embedded || presented);
    document.documentElement.classList.toggle("presented", presented);
    document.documentElement.dataset.hide = hidden;
  }, [embedded, presented, hidden]);
  usePlace(view.name);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        To the content
      </button>
      <header class="top">
        <span class="mark">
          <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
            <path d="M1 12C5 4 19 4 23 12C19 20 5 20 1 12z" fill="none" stroke="var(--c0)" stroke-width="2" />
            <circle cx="12" cy="12" r="4" fill="var(--c1)" />
          </svg>{" "}
          Fovea
        </span>
        <nav aria-label="Views">
          {views.map(one => (
            <>
              <a href={way_to(one.name)} aria-current={one === view && !own ? "page" : undefined}>
                {one.title}
              </a>
              {one.name === "play" && (
                <a href={way_to_own} aria-current={own ? "page" : undefined}>
                  Own texts
                </a>
              )}
            </>
          ))}
        </nav>
        <button type="button" class="quiet" onClick={next_theme} aria-label={`Theme: ${theme}. Change`}>
          {theme === "dark" ? "☾" : theme === "light" ? "☀" : "◐"} <span class="name">Theme: {theme}</span>
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        {view.name !== asked && (
          <p class="problem" role="alert">
            The address asks for a view "{asked}", which this page does not have: {view.title} is shown.
          </p>
        )}
        {address.old?.map(([old, now]) => (
          <p class="problem" role="status">
            This link has the name {old}, which is now {now}. The old name works through 1.x.
          </p>
        ))}
        {view.computes && !engine.there ? <Engineless title={view.title} /> : <Show source={source} />}
      </main>
    </>
  );
}

drop_token();
render(<Page source={find_source()} />, document.getElementById("page")!);
