// The bet: a flag for each thing that is to be learned, put on the step at which it comes.
import { useId } from "preact/hooks";
import type { Curve } from "./flags";

interface Props {
  flags: Curve[];
  bets: (number | undefined)[];
  total: number;
  closed: boolean; // it trains, so nobody bets any more
  set: (bets: (number | undefined)[]) => void;
}

export function Bets({ flags, bets, total, closed, set }: Props) {
  const id = useId();
  const put = (i: number, step: number | undefined) => set(bets.map((bet, j) => (j === i ? step : bet)));
  return (
    <div class="bets">
      {flags.map(({ metric, flag, colour }, i) => (
        <div class="bet" style={{ "--flag": colour }} key={metric}>
          <label for={`${id}-${i}`}>{flag!.asks}</label>
          <input
            class="step"
            type="text"
            inputMode="numeric"
            autocomplete="off"
            aria-label={`Your bet as a number: ${flag!.short}`}
            placeholder="step"
            disabled={closed}
            value={bets[i] === undefined ? "" : String(bets[i])}
            onChange={event => {
              const text = event.currentTarget.value.trim();
              put(i, /^\d{1,9}$/.test(text) ? Math.min(total, Number(text)) : undefined);
            }}
          />
          <input
            id={`${id}-${i}`}
            type="range"
            min={0}
            max={total}
            step={1}
            value={bets[i] ?? 0}
            disabled={closed}
            aria-valuetext={bets[i] === undefined ? "no bet yet" : `step ${bets[i]}`}
            onInput={event => put(i, Number(event.currentTarget.value))}
          />
        </div>
      ))}
    </div>
  );
}
