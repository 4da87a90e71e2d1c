// The explanation as it is read, then the evidence: a chapter for each system, and each of its experiments as a line
// that unfolds its figures, what was claimed and what came out. The first chapter with results, and the one that the
// address names, are unfolded.
import { useEffect, useMemo, useState } from "preact/hooks";
import { change_address, read_address, useWord } from "../address";
import type { Finding, Story as Told_story } from "../model";
import type { Source } from "../source";
import { Chapters } from "../story/chapter_list";
import type { Try } from "../story/chapters";
import { ClaimCount, KeptOutcome } from "../story/claim_count";
import { Equation } from "../story/equation";
import { Claims, count_text, ExperimentView, Verdict } from "../story/experiment";
import { Findings, NotSupported } from "../story/findings";
import { kept_of, with_kept } from "../story/kept";
import { Reading, Summary } from "../story/reading";
import { kept_claims_of, type Section, sections_of } from "../story/sections";
import { Trouble } from "../trouble";
import { in_turn } from "../turns";

// The findings of a chapter whose claim holds.
const found_in = (findings: Finding[], { experiments }: Section) =>
  findings
    .map(with_kept)
    .filter(({ experiment, claim }) => claim?.held && experiments.some(({ name }) => name === experiment));

// Where the story shows an experiment that was reproduced: in its chapter, unfolded.
const address_of = (sections: Section[]) => (experiment: string) => {
  const chapter = sections.find(one =>
    one.experiments.some(({ name, claims }) => name === experiment && claims.length > 0),
  );
  return chapter ? `#/story?at=${chapter.name}&open=${experiment}` : "";
};

// Its chapter, reproduced or not.
function chapter_of(sections: Section[], experiment: string): string {
  const chapter = sections.find(({ experiments }) => experiments.some(({ name }) => name === experiment));
  return `#/story?at=${chapter?.name ?? not_supported.name}&chapters=${chapter?.name ?? ""}`;
}

// The story as the source tells it now, and how often something new has come.
function useStory(source: Source): { story: Told_story | undefined; trouble: string; news: number } {
  const [story, set_story] = useState<Told_story>();
  const [trouble, set_trouble] = useState("");
  const [news, set_news] = useState(0);
  useEffect(
    () =>
      source.watch(
        () => set_news(count => count + 1),
        () => {},
      ),
    [source],
  );
  const look = useMemo(
    () =>
      in_turn(() =>
        source.story().then(
          told => {
            set_story(told);
            set_trouble("");
          },
          error => {
            set_story(before => before ?? { experiments: [] });
            set_trouble(error instanceof Trouble ? error.message : String(error));
          },
        ),
      ),
    [source],
  );
  useEffect(look, [look, news]);
  return { story, trouble, news };
}

// The mark of an experiment without results.
const absent_by = {
  served: "not run on this computer yet",
  report: "not in this report",
  site: "not on this page",
};

const kept_form = "full form, kept with the program";

const names_in = (text: string) => text.split(",").filter(Boolean);

// Takes a name into a list of the address, or out of it.
function switch_name(word: string, name: string, on: boolean) {
  const now = names_in(read_address().words.get(word) ?? "");
  if (now.includes(name) !== on)
    change_address({ [word]: (on ? [...now, name] : now.filter(one => one !== name)).join() });
}

export function Story({ source }: { source: Source }) {
  const [at] = useWord("at", "");
  const [open] = useWord("open", "");
  const [unfolded] = useWord("chapters", "");
  const { story, trouble, news } = useStory(source);
  const sections = useMemo(() => sections_of(story?.experiments ?? []), [story]);
  const there = story !== undefined;
  // To the chapter that the address names, once there is something to go to.
  useEffect(() => {
    if (there && at) document.getElementById(at === evidence ? at : `chapter-${at}`)?.scrollIntoView();
  }, [there, at]);
  if (!story) return <h1>How attention is learned</h1>;

  const reproduced = story.experiments.filter(one => one.claims.length > 0);
  const names = names_in(open);
  const failures = story.not_supported ?? [];
  const has_results = ({ experiments }: Section) => experiments.some(one => one.claims.length > 0);
  const first_told = sections.find(has_results);
  const findings_first = source.kind === "report"; // a page opens with a training
  const findings = (
    <Findings
      findings={story.findings ?? []}
      address={address_of(sections)}
      first={findings_first}
      absent={absent_by[source.kind]}
    />
  );
  // The evidence is asked for when the ideas are over. A report begins with its results.
  const unrolled = findings_first || at !== "" || open !== "" || unfolded !== "";
  return (
    <div class={unrolled ? "story" : "story only-ideas"}>
      {unrolled && <Chapters sections={failures.length > 0 ? [...sections, not_supported] : sections} at={at} />}
      <div>
        <h1>How attention is learned</h1>
        <p>
          Seven ideas, then <a href={`#/story?at=${evidence}`}>the evidence</a>
          {findings_first && (
            <>
              : findings, every experiment with its claims, and{" "}
              <a href={`#/story?at=${not_supported.name}`}>claims that were not supported</a>
            </>
          )}
          .
        </p>
        {findings_first && findings}
        <Reading />
        <Summary />
        {unrolled ? (
          <>
            <h2 id={evidence}>The evidence</h2>
            <p role="alert" class="problem">
              {trouble}
            </p>
            <ClaimCount
              told={reproduced}
              of={story.experiments.length}
              served={source.kind === "served"}
              failed={failures.reduce((sum, { claims }) => sum + claims.length, 0)}
            />
            {!findings_first && findings}
            {sections.map((section, i) => (
              <ChapterView
                key={section.name}
                section={section}
                leads={section === first_told || section.name === at}
                number={i + 1}
                source={source}
                news={news}
                open={names}
                set_open={(name, on) => switch_name("open", name, on)}
                unfolded={names_in(unfolded).includes(section.name)}
                unfold={(chapter, on) => switch_name("chapters", chapter, on)}
                found={found_in(story.findings ?? [], section)}
              />
            ))}
            <NotSupported
              failures={failures}
              number={sections.length + 1}
              title={name => story.experiments.find(one => one.name === name)?.title || name}
              address={name => chapter_of(sections, name)}
            />
          </>
        ) : (
          <p class="lead">
            <a class="button" href={`#/story?at=${evidence}`}>
              The evidence
            </a>{" "}
            {story.experiments.length > 0 &&
              `${(story.findings ?? []).map(with_kept).filter(({ claim }) => claim).length} findings, ${story.experiments.length} experiments with their claims, and the claims that were not supported.`}
          </p>
        )}
        {source.kind === "site" && location.protocol !== "file:" && (
          <p>
            <a href="../index.html">Documentation</a>
          </p>
        )}
        {story.facts && (
          <p class="soft">
            Made by Fovea {story.facts.version} on {story.facts.made}, {story.facts.machine}. This program gives the
            same numbers for the same experiment and seed on any number of threads.
          </p>
        )}
      </div>
    </div>
  );
}

const evidence = "evidence"; // the heading above findings and chapters
const not_supported = { name: "not-supported", title: "What was not supported" };

function ChapterView(props: {
  section: Section;
  leads: boolean; // its first experiment is open
  number: number;
  source: Source;
  news: number;
  open: string[];
  set_open: (name: string, on: boolean) => void;
  unfolded: boolean;
  unfold: (chapter: string, on: boolean) => void;
  found: Finding[];
}) {
  const { section, leads, open } = props;
  const reproduced = section.experiments.filter(one => one.claims.length > 0);
  const lead = leads ? reproduced[0] : undefined,
    others = reproduced.filter(one => one !== lead);
  const not_run = section.experiments.filter(one => one.claims.length === 0);
  const kept = not_run
    .map(experiment => ({ experiment, results: kept_of(experiment.name) }))
    .filter(({ results }) => results.length > 0);
  const untold = not_run.filter(one => kept.every(({ experiment }) => experiment !== one));
  const asked = leads || section.experiments.some(({ name }) => open.includes(name));
  const [closed, close] = useState(false); // though it is asked for
  useEffect(() => close(false), [asked]);
  const unfolded = (asked && !closed) || props.unfolded;
  const fold = (on: boolean) => {
    if (on === unfolded) return;
    close(!on);
    if (!asked || !on) props.unfold(section.name, on);
  };
  return (
    <section class="chapter" aria-labelledby={`chapter-${section.name}`}>
      <details class="folded" open={unfolded} onToggle={event => fold(event.currentTarget.open)}>
        <summary>
          <h2 id={`chapter-${section.name}`} tabIndex={-1}>
            <span class="count">{props.number}</span> {section.title}
          </h2>
          {reproduced.length > 0 ? (
            <>
              <Verdict claims={reproduced.flatMap(one => one.claims)} />{" "}
              <KeptOutcome experiments={section.experiments} />
            </>
          ) : kept.length > 0 ? (
            <span class="soft">
              {count_text(kept_claims_of(section.experiments))} ({kept_form})
            </span>
          ) : (
            <span class="soft">{absent_by[props.source.kind]}</span>
          )}
        </summary>
        {props.found.map(({ heading, why }) => (
          <p class="found">
            <b>What was found:</b> {heading}. {why}
          </p>
        ))}
        {section.idea && <p>{section.idea}</p>}
        <Tries tries={section.tries} />
        {section.equations.length > 0 && (
          <details class="facts">
            <summary>Equations</summary>
            <Equation lines={section.equations} />
          </details>
        )}
        {section.elsewhere && (
          <p class="soft">
            {section.elsewhere.says} <code>{section.elsewhere.command}</code>
          </p>
        )}
        {lead && <ExperimentView key={lead.name} experiment={lead} source={props.source} news={props.news} />}
        {others.map(experiment => (
          <details
            key={experiment.name}
            open={open.includes(experiment.name)}
            onToggle={event => props.set_open(experiment.name, event.currentTarget.open)}
          >
            <summary>
              {experiment.title || experiment.name} <Verdict claims={experiment.claims} />{" "}
              <KeptOutcome experiments={[experiment]} />
            </summary>
            {open.includes(experiment.name) && (
              <ExperimentView experiment={experiment} source={props.source} news={props.news} inside />
            )}
          </details>
        ))}
        {unfolded &&
          kept.map(({ experiment, results }) => (
            <details key={experiment.name} data-kept={experiment.name}>
              <summary>
                {experiment.title || experiment.name}{" "}
                <span class="soft">
                  {count_text(results.flatMap(({ claims }) => claims))} ({kept_form})
                </span>
              </summary>
              {experiment.idea && <p>{experiment.idea.trim()}</p>}
              {results.map(({ corpus, claims }) => (
                <>
                  {corpus && <p>On {corpus}:</p>}
                  <Claims claims={claims} />
                </>
              ))}
              <p class="soft">
                Run it here: <code>fovea reproduce {experiment.name}</code>
              </p>
            </details>
          ))}
        {untold.length > 0 && (
          <p class="soft">
            Experiments {absent_by[props.source.kind]}:{" "}
            {untold.map((one, i) => (
              <>
                {i > 0 && ", "}
                <code title={one.title}>{one.name}</code>
              </>
            ))}
            . <code>fovea reproduce {untold[0]!.name}</code>
          </p>
        )}
      </details>
    </section>
  );
}

function Tries({ tries }: { tries: Try[] }) {
  if (tries.length === 0) return null;
  return (
    <p class="tries">
      <span>Try it:</span>
      {tries.map(one => (
        <a href={`#/${one.view}${one.words && `?${one.words}`}`}>{one.says}</a>
      ))}
    </p>
  );
}
