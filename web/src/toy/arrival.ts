// When p of the bounded gate reaches a level under the linear loss, however late that is. The flow keeps
// D² − 4 (a + eᵃ), and dD/dτ = 2p, so τ is the integral of 1 / (2p) over D: here by Simpson's rule.
const parts = 4000;

// The a with a + eᵃ = sum, by Newton's method: from a start where the left side is larger, it falls to the root.
function logit_at(sum: number): number {
  let a = sum < 1 ? sum : Math.log(sum);
  for (let i = 0; i < 30; ++i) a -= (a + Math.exp(a) - sum) / (1 + Math.exp(a));
  return a;
}

// `gate` is the logit of p at the start, below that of the level. A mistake can be too large for any number: Infinity.
export function arrival_of(D: number, gate: number, level: number): number {
  const last = Math.log(level / (1 - level)),
    kept = gate + Math.exp(gate) - (D * D) / 4;
  const end = 2 * Math.sqrt(last + Math.exp(last) - kept);
  let sum = 0;
  for (let i = 0; i <= parts; ++i) {
    const at = D + (i / parts) * (end - D),
      slowness = (1 + Math.exp(-logit_at(kept + (at * at) / 4))) / 2;
    sum += slowness * (i === 0 || i === parts ? 1 : i % 2 === 1 ? 4 : 2);
  }
  return (sum * (end - D)) / (3 * parts);
}

// "1.4·10⁵"
export function late_text(time: number): string {
  if (!Number.isFinite(time)) return "more than 10³⁰⁸";
  const [part, power] = time.toExponential(1).split("e+") as [string, string];
  return `about ${part}·10${[...power].map(digit => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`;
}
