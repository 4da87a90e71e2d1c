// The screen of the view Start: bet on the steps, watch the training, change it, and share it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { change_address, useAddress } from "../address";
import { capital } from "../capital";
import { value_in } from "../engine/looks";
import type { Training } from "../engine/training";
import { useWidth } from "../lines";
import { acts } from "../play/acts";
import { head_title } from "../play/attention";
import { words_of } from "../play/state";
import { usePlayer } from "../play/use_player";
import { useScreen } from "../screen";
import type { ClassBets } from "../source";
import { Arcs, type Pointed, type Seen, WordMap } from "./arcs";
import { Bets } from "./bets";
import { type Change, ChangeForm, change_text } from "./change";
import { as_it_works, came_at, measured_of, watched_until } from "./effect";
import type { Film } from "./film";
import { edges, Plot, right_of_names } from "./plot";
import { rungs_told } from "./rungs_told";
import { type Asked, flags_of, read_asked, type Scene } from "./scenes";
import { Score } from "./score";
import { example_of, seen_in } from "./seen";
import { ShareStart } from "./share";
import { note_own, Spread, useClassBets } from "./spread";
import { predicted_at, reading, series_of, told, verdict } from "./told";
import { ToldWhy } from "./told_why";
import { why_of } from "./why";

const pace = 20; // steps a second: slow enough to follow
const unit: [number, number] = [0, 1];
type Span = [from: number, until: number] | undefined; // while attention is changed

// The words of the address of Start; while the page leaves it, another view's stand there already.
function useAsked(): Asked {
  const { view, words } = useAddress();
  const here = useRef(words);
  if (view === "" || view === "start") here.current = words;
  return useMemo(() => read_asked(here.current), [here.current.toString()]);
}

export function Stage({ server }: { server: ClassBets | undefined }) {
  const { scene, bets, state } = useAsked();
  const untouched = state.hold > 0 ? "hold=0" : "";
  const playing = usePlayer({ ...state, beside: untouched });
  const { player, root, loading } = playing;
  const still = useMemo(() => matchMedia("(prefers-reduced-motion: reduce)").matches, []);
  const narrow = useScreen().width <= 680; // as small.css has it: the curves are below the button
  const [pointed, point] = useState<Pointed>({});
  const [head, set_head] = useState("");
  const begin_at = useRef<number>();
  player.pace = pace;
  useEffect(() => {
    const step = begin_at.current;
    if (step === undefined) return;
    begin_at.current = undefined;
    void player.go(step);
    if (!still) void player.play();
  }, [root]);

  const [training, ghost] = player.trainings as [Training | undefined, Training | undefined];
  const at = player.at,
    total = player.total;
  const example = training ? example_of(training) : 0;
  const look = training?.look_at(at, example);
  const heads = training?.heads ?? [];
  const shown = heads.includes(head) ? head : (heads.at(-1) ?? "");
  const seen = training && look && seen_in(scene.causal === true, training, look, example, shown);
  const change: Change = { act: state.act, by: state.by, of: state.of, from: state.from, hold: state.hold };
  const act = acts.find(({ name }) => name === change.act);
  const without =
    act?.word === "ablate"
      ? "In the shaded steps attention gives nothing, so no arc is drawn."
      : act?.word === "hold"
        ? "In the shaded steps the picture shows the held attention."
        : "";
  const changed: Span = change.hold > 0 ? [change.from, Math.min(total, change.hold)] : undefined;
  const acts_now = changed && at > changed[0] && at <= changed[1];
  const ablated = acts_now && act?.word === "ablate" && change.of === "";
  // On a phone the curves are out of view where the change is made.
  const stage = useRef<HTMLElement>(null);
  const to_curves = () =>
    narrow &&
    stage.current!.querySelector(".curves")!.scrollIntoView({ block: "nearest", behavior: still ? "auto" : "smooth" });
  const apply = ({ act, by, of, from, hold }: Change) => {
    begin_at.current = from;
    to_curves();
    change_address({ ...words_of({ by, of, from, hold }), act }, true);
  };
  const label = `Attention at step ${look?.step ?? 0}`;
  const says = reading(scene, seen, pointed);
  const judgement = verdict(flags_of(scene), training, ghost, bets, at);
  const why = why_of(scene.reason, flags_of(scene), training, ghost, at);
  const rungs = rungs_in(scene, training),
    right = scene.rungs ? right_of_names : edges.right;
  const closed = at > 0 || player.playing || loading; // nobody bets any more
  const question = JSON.stringify([scene.name, state.seed, ...(untouched ? Object.values(change) : [])]);
  const of_class = useClassBets(server, question, bets, !loading && closed);
  const runs = [training, ghost].filter(one => one !== undefined);
  const film = (): Film | undefined => {
    const looks = training?.looks.filter(one => one.step <= at && (one.only ?? example) === example) ?? [];
    if (!training || looks.length < 2) return undefined;
    return {
      title: scene.title,
      caption: [`seed ${state.seed}`, changed && change_text(change, total)].filter(Boolean).join(", "),
      changed,
      looks,
      seen: one => seen_in(scene.causal === true, training, one, example, shown),
      total,
      lines: lines_of(scene, runs, at).map((line, i) => ({
        ...line,
        name: scene.curves[i % scene.curves.length]!.name,
      })),
      bets: flags_of(scene).flatMap((curve, i) =>
        [predicted_at(runs.at(-1), curve), bets[i]].flatMap((step, own) =>
          step === undefined ? [] : [{ step, colour: curve.colour, own: own === 1 }],
        ),
      ),
    };
  };
  return (
    <section ref={stage} class="bet-stage" aria-label="A model that learns">
      <div class="bet-and-watch" style={{ "--right": `${right}px` }}>
        <h2>
          <b>1</b> Bet
        </h2>
        <Bets
          flags={flags_of(scene)}
          bets={bets}
          total={total}
          closed={closed}
          set={next => {
            note_own(next);
            change_address({ bet: next.some(bet => bet !== undefined) ? next.map(bet => bet ?? "").join() : "" });
          }}
        />
        <div class="transport">
          <h2>
            <b>2</b> Watch
          </h2>
          <button
            type="button"
            class="main"
            disabled={player.refused || loading}
            onClick={() => {
              if (player.playing) return player.pause();
              to_curves();
              void player.play();
            }}
          >
            {player.playing ? "Pause" : at > 0 && at >= player.last ? "Replay" : at > 0 ? "Go on" : "Train it"}
          </button>
          <button type="button" disabled={at === 0 || player.refused} onClick={() => void player.go(0)}>
            Rewind
          </button>
          <button
            type="button"
            disabled={at >= player.last || player.refused}
            onClick={() => void player.go_to_next_look(player.wished)}
          >
            Next evaluation
          </button>
          <output class="value" data-step={at} data-loading={loading ? "yes" : "no"}>
            step {at} of {total}
          </output>
        </div>
        <p class="problem" role="alert">
          {player.trouble}
        </p>
        <Curves scene={scene} runs={runs} bets={bets} at={at} total={total} changed={changed} right={right} />
        <div class="verdict">
          <p>
            <strong>{judgement}</strong>
            {server && !closed && " This server collects the bets, without names."}
          </p>
        </div>
        <div class="reason">
          {rungs.length > 0 && rungs_told(runs, rungs, at).map(text => <p>{text}</p>)}
          <ToldWhy why={why} />
        </div>
        {scene.rungs && (
          <p class="rung-names">
            Thin lines at the loss (rungs) are predicted before training: the loss of an ideal model that uses only
            this.{" "}
            {scene.rungs.map(({ name, means }) => `${capital(name)}: ${means.replace(/^nothing: /, "")}.`).join(" ")}
          </p>
        )}
        <Spread bets={of_class} flags={flags_of(scene)} total={total} right={right} />
        <p class="hidden" role="status">
          {training && !loading && !player.playing && told(scene, training, ghost, bets, at)}
        </p>
      </div>
      <div class="looked-at">
        <div class="column-names" aria-hidden="true">
          <span>{scene.left}</span>
          <span>{scene.right}</span>
        </div>
        {seen ? (
          <Arcs seen={ablated ? nothing_of(seen) : seen} label={`${label}. ${says}`} pointed={pointed} point={point} />
        ) : (
          <div class="arcs" />
        )}
        <p class="soft says" aria-live="polite">
          {ablated ? "Attention is ablated here: it gives nothing, so no arc is drawn." : says}
        </p>
        <Score scene={scene} runs={runs} bets={bets} at={at} acts_now={acts_now === true} whole={!state.of} />
      </div>
      <div class="mapped">
        {heads.length > 1 && (
          <fieldset class="heads-choice" aria-label="Which head is shown">
            {heads.map(one => (
              <button type="button" aria-pressed={one === shown} onClick={() => set_head(one)}>
                {head_title(one)}
              </button>
            ))}
          </fieldset>
        )}
        {seen && seen.outputs.length > 1 && (
          <WordMap
            seen={ablated ? nothing_of(seen) : seen}
            label={`${label} as a map. ${says}`}
            pointed={pointed}
            point={point}
            axes={{ rows: scene.right, columns: scene.left }}
          />
        )}
        <div class="card to-change">
          <h2>
            <b>3</b> Change
          </h2>
          <p class="soft">
            {changed
              ? `Now ${change_text(change, total)}. Dashed: the untouched training. ${without}`
              : `A change applies to every text${heads.length > 1 ? ", and to all heads or to one" : ""}. The untouched training stays, dashed.`}
          </p>
          <ChangeForm
            now={change}
            choices={scene.acts}
            heads={heads}
            at={at >= total ? 0 : at}
            total={total}
            apply={apply}
          />
        </div>
      </div>
      <div class="card strip">
        <h2>
          <b>4</b> Share
        </h2>
        <ShareStart
          film={film}
          name={`fovea-${scene.name}-seed-${state.seed}${changed ? `-${change.act}-from-${changed[0]}${changed[1] < total ? `-until-${changed[1]}` : ""}` : ""}`}
        />
        <label class="line">
          Seed
          <input
            class="step"
            type="text"
            inputMode="numeric"
            value={String(state.seed)}
            onChange={event => change_address({ seed: event.currentTarget.value.replace(/^0+$|\D/g, "") }, true)}
          />
        </label>
      </div>
    </section>
  );
}

interface CurvesProps {
  scene: Scene;
  runs: Training[];
  bets: (number | undefined)[];
  at: number;
  total: number;
  changed: Span;
  right: number;
}

function Curves({ scene, runs, bets, at, total, changed, right }: CurvesProps) {
  const [holder, width] = useWidth();
  const rules = rungs_in(scene, runs[0]);
  const heights = rules.map(({ value }) => value);
  const shared = { width, total, at, changed, right };
  return (
    <div ref={holder} class="curves">
      {width > 0 && (
        <>
          <Plot
            {...shared}
            label={`Shares over the steps, up to step ${at}`}
            height={scene.rungs ? 114 : 210}
            unnumbered={rules.length > 0}
            range={unit}
            share
            lines={lines_of(scene, runs, at)}
            rules={[]}
            poles={flags_of(scene).map((curve, i) => {
              const came = runs[0] && came_at(runs[0], curve.metric, curve.flag!.level, at);
              return {
                colour: curve.colour,
                bet: bets[i],
                predicted: predicted_at(runs.at(-1), curve),
                came,
                height: (came !== undefined && value_in(measured_of(runs[0]!, curve.metric)!, came)) || 0,
              };
            })}
          />
          {rules.length > 0 && (
            <Plot
              {...shared}
              label={`Loss over the steps, up to step ${at}, and the plateaus that Fovea predicts`}
              height={116}
              range={[Math.min(...heights) - 0.2, Math.max(...heights) + 0.2]}
              share={false}
              lines={runs.map((run, i) => ({
                series: as_it_works(run, "loss"),
                colour: "currentColor",
                ghost: i > 0,
                until: i > 0 ? watched_until(run, at) : at,
              }))}
              rules={rules}
              poles={[]}
            />
          )}
        </>
      )}
    </div>
  );
}

// The plateaus of the loss that are predicted before training.
const rungs_in = (scene: Scene, run: Training | undefined) =>
  (scene.rungs ?? []).flatMap(({ metric, name }) => {
    const value = run?.value_at(metric, 0);
    return typeof value === "number" ? [{ value, name }] : [];
  });

const lines_of = (scene: Scene, runs: Training[], at: number) =>
  runs.flatMap((run, i) =>
    scene.curves.map(curve => ({
      series: series_of(run, curve),
      colour: curve.colour,
      ghost: i > 0,
      until: i > 0 ? watched_until(run, at) : at,
    })),
  );

const nothing_of = (seen: Seen): Seen => ({ ...seen, weights: new Float32Array(seen.weights.length) });
