// Where a server shows the page: what everybody who has it open bet on the same question, once the own bet is closed.
import { useEffect, useState } from "preact/hooks";
import { useWidth } from "../lines";
import { median } from "../median";
import type { Bet, ClassBets } from "../source";
import type { Curve } from "./flags";
import { edges } from "./plot";

const pause = 2000; // milliseconds between two questions for the others' bets
const bins = 50;
const fewest = 3; // bets that are shown
const row_height = 30,
  dot = 6; // points from one bet to the next above it

// The bet that was put in this browser last: a bet that a link brought is somebody else's.
const text_of = (bets: (number | undefined)[]) => JSON.stringify(bets.map(step => step ?? null));
let own_bet = "";
try {
  own_bet = localStorage.getItem("fovea.bet") ?? "";
} catch {} // a browser that keeps nothing
export function note_own(bets: (number | undefined)[]) {
  own_bet = text_of(bets);
  try {
    localStorage.setItem("fovea.bet", own_bet);
  } catch {} // as above
}

export function useClassBets(
  server: ClassBets | undefined,
  question: string,
  own: (number | undefined)[],
  closed: boolean,
): Bet[] {
  const [all, set_all] = useState<Bet[]>([]);
  useEffect(() => {
    set_all([]);
    if (!server || !closed) return undefined;
    let left = false;
    const read = (asked: Promise<Bet[]>) => asked.then(bets => left || set_all(bets)).catch(() => {}); // the next time
    const is_bet = own.some(step => step !== undefined) && text_of(own) === own_bet;
    void read(
      is_bet
        ? server.take(
            question,
            own.map(step => step ?? null),
          )
        : server.of(question),
    );
    const timer = setInterval(() => document.hidden || void read(server.of(question)), pause);
    return () => {
      left = true;
      clearInterval(timer);
    };
  }, [server, question, closed]);
  return all;
}

interface Props {
  bets: Bet[];
  flags: Curve[];
  total: number;
  right: number; // room to the right of the curves
}

// The bets on one flag, in order.
const steps_of = (bets: Bet[], flag: number) =>
  bets.flatMap(bet => (typeof bet[flag] === "number" ? [bet[flag]] : [])).sort((a, b) => a - b);

export function Spread({ bets, flags, total, right: room }: Props) {
  const [holder, width] = useWidth();
  if (bets.length < fewest) return <div ref={holder} />;
  const right = width - room;
  const told = flags.flatMap(({ flag }, i) => {
    const steps = steps_of(bets, i),
      low = steps[0];
    return low === undefined ? [] : [`${flag!.short}: median ${median(steps)}, from ${low} to ${steps.at(-1)}`];
  });
  return (
    <div ref={holder} class="spread">
      <p>
        {bets.length} people have bet on this server. {told.join(". ")}. Below, a dot for each bet, at its step.
      </p>
      {width > 0 && (
        <svg
          viewBox={`0 0 ${width} ${row_height * flags.length}`}
          width={width}
          height={row_height * flags.length}
          aria-hidden="true"
        >
          {flags.map(({ metric, colour }, i) => {
            const heights = new Map<number, number>();
            const base = row_height * (i + 1) - dot;
            return (
              <g key={metric}>
                <line class="base" x1={edges.left} x2={right} y1={base + dot / 2} y2={base + dot / 2} />
                {steps_of(bets, i).map(step => {
                  const bin = Math.floor((Math.min(step, total) / Math.max(1, total)) * bins),
                    below = heights.get(bin) ?? 0;
                  heights.set(bin, below + 1);
                  const x = edges.left + (bin / bins) * (right - edges.left);
                  return <circle cx={x} cy={Math.max(dot / 2, base - dot * below)} r={dot / 2} fill={colour} />;
                })}
              </g>
            );
          })}
        </svg>
      )}
    </div>
  );
}
