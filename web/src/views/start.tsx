// The view Start: one question, a bet on its answer, and a training that gives it.
import text_of_lesson from "#lesson";
import { change_address, useAddress } from "../address";
import { engine } from "../engine/engine";
import { lesson } from "../lesson";
import type { Source } from "../source";
import { flags_of, scene_of, scenes } from "../start/scenes";
import { Stage } from "../start/stage";
import { ordered } from "../start/told";
import { Explained, Term } from "../term";

let lesson_open = false; // who comes back from a part of it goes on with the next
const of_scene = ["bet", "act", "by", "of", "from", "hold"]; // words of the address that another scene does not keep

export function Start({ source }: { source: Source }) {
  const scene = scene_of(useAddress().words.get("scene"));
  const [first, second] = scene.learns.map(({ name }, i) => (
    <em style={{ "--of": flags_of(scene)[i]!.colour }}>{name}</em>
  ));
  return (
    <div class="start">
      {ordered(flags_of(scene)) ? (
        <h1>
          What does a model learn first: {first}, or {second}?
        </h1>
      ) : (
        <h1>
          When does a model find {first}, and {second}?
        </h1>
      )}
      {engine.there ? (
        <>
          <fieldset class="scenes" aria-label="What is learned">
            {scenes.map(one => (
              <button
                type="button"
                aria-pressed={one === scene}
                onClick={() =>
                  change_address(
                    {
                      ...Object.fromEntries(of_scene.map(word => [word, ""])),
                      scene: one === scenes[0] ? "" : one.name,
                    },
                    true,
                  )
                }
              >
                {one.title}
              </button>
            ))}
            <a class="door" href="#/play?task=own">
              <b>Check your own texts</b> <span>leaks, the words that count, and whether to trust attention</span>
            </a>
          </fieldset>
          <div class="what">
            <p>
              {scene.reads} <Term word="attention">Attention</Term> is how it chooses what to look at: the thicker an
              arc, the more weight.
            </p>
            <div>
              <ul class="learns">
                {scene.learns.map(({ name, says }, i) => (
                  <li style={{ "--of": flags_of(scene)[i]!.colour }}>
                    <b>{name}:</b> <Explained text={says} curve={flags_of(scene)[i]!.means} />
                  </li>
                ))}
              </ul>
              <p>{scene.signal}</p>
            </div>
          </div>
          <Stage key={scene.name} server={source.bets} />
        </>
      ) : (
        <p>
          Here a model would learn before your eyes, and this page was built without the engine for it: install
          Emscripten, then build Fovea again.
        </p>
      )}
      <section class="further">
        <h2>Go on</h2>
        <ul class="ways">
          <li>
            <a href="#/story">The story</a>: seven ideas in pictures, then the evidence.
          </li>
          <li>
            <a href="#/toy">The toy gate</a>: the smallest system in which attention waits: two numbers in a plane, with
            equations.
          </li>
          <li>
            <a href="#/play">The playground</a>: choose a task and a model, act on single heads, show it to a room.
          </li>
          <li>
            <a href="#/play?task=own">Texts of your own</a>: the words that a model will attend to, predicted before
            training, then trained.
          </li>
        </ul>
        {engine.there && (
          <details class="lesson" open={lesson_open} onToggle={event => (lesson_open = event.currentTarget.open)}>
            <summary>A lesson of twenty minutes, in five links</summary>
            <p>
              Begin with this page (3 minutes), and let the class bet. Each part opens without the controls that it does
              not need, and leads to the next one; the browser's Back returns here.
            </p>
            <ol>
              {lesson.map(({ title, minutes, link, ask }) => (
                <li>
                  <a href={link}>{title}</a> ({minutes} minutes). {ask}
                </li>
              ))}
            </ol>
            <details class="teacher">
              <summary>For the teacher: what to say, and what there is to see</summary>
              <div dangerouslySetInnerHTML={{ __html: text_of_lesson }} />
            </details>
          </details>
        )}
      </section>
    </div>
  );
}
