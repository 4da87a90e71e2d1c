// The kept results of full forms, for experiments that have not been run here.
import kept from "#kept";
import type { Claim, Finding } from "../model";

export interface KeptResult {
  corpus: string; // "": the experiment has none
  claims: Claim[];
}

type Kept = Pick<Claim, "value" | "wanted" | "held" | "control">;

// JSON has no infinity: a value of null counts as infinite. A claim is met up to a rounding of its threshold, as the program has it.
function meets({ value, wanted }: Kept): boolean {
  const at = value ?? Number.POSITIVE_INFINITY;
  const above = (bound: number) => at >= bound - 1e-12 * Math.abs(bound);
  const below = (bound: number) => at <= bound + 1e-12 * Math.abs(bound);
  const [, sign, bound] = /^([<>]=?) (.+)$/.exec(wanted) ?? [];
  if (sign === ">=") return above(Number(bound));
  if (sign === ">") return at > Number(bound);
  if (sign === "<=") return below(Number(bound));
  if (sign === "<") return at < Number(bound);
  const [least, most] = wanted.split(" to ").map(Number);
  return above(least!) && below(most!);
}

// `held` says only that the claim is as its file expects. A claim that is expected to fail is refuted if it fails.
export function kept_verdict(claim: Kept): Claim["verdict"] {
  if (claim.held) return meets(claim) ? "supported" : "refuted";
  if (claim.control !== undefined) return "not refuted";
  if (!meets(claim)) return "not supported";
  return claim.value === null ? "no value" : "not refuted"; // it was not a number
}

// How many claims of full forms have a kept result, and how many of them are as stated.
export function kept_count(): { all: number; stated: number } {
  const claims = kept.experiments.flatMap(one => one.claims);
  return { all: claims.length, stated: claims.filter(({ held }) => held).length };
}

export function kept_of(experiment: string): KeptResult[] {
  return kept.experiments
    .filter(one => one.experiment === experiment)
    .map(({ corpus, claims }) => ({
      corpus,
      claims: claims.map(claim => ({
        ...claim,
        ...(claim.value === null && claim.held && { infinite: "∞" }), // JSON has no infinity
        experiment,
        metric: "",
        verdict: kept_verdict(claim),
        form: "full",
      })),
    }));
}

// A finding with its kept result, if nothing newer is known of it: of several corpora the least favourable.
export function with_kept(finding: Finding): Finding {
  const key = kept.findings[finding.heading];
  if (finding.claim || key === undefined) return finding;
  const found = kept_of(finding.experiment).flatMap(({ corpus, claims }) =>
    claims.filter(({ name, claim }) => (name ? name === key : claim.startsWith(key))).map(claim => ({ corpus, claim })),
  );
  const [worst] = found.sort((a, b) => margin_of(a.claim) - margin_of(b.claim));
  if (!worst) return finding;
  const { corpus, claim } = worst;
  const measures = corpus ? `${finding.measures}; worst of ${found.length} corpora` : finding.measures;
  return { ...finding, measures, claim, kept: true };
}

// How far above its threshold a value is, or below it where the claim is an upper bound.
function margin_of({ value, wanted }: Kept): number {
  const above = (value ?? 0) - Number(/[\d.e+-]+$/.exec(wanted)?.[0] ?? 0);
  return wanted.startsWith("<") ? -above : above;
}

// Claims that forms state alike, in the order of the first.
export function in_forms(claims: Claim[]): [Claim, ...Claim[]][] {
  const same = new Map<string, [Claim, ...Claim[]]>();
  for (const claim of claims) {
    const key = claim.name ?? claim.claim;
    const others = same.get(key);
    if (others) others.push(claim);
    else same.set(key, [claim]);
  }
  return [...same.values()];
}

// The title of a claim. If a form does not support it, the title is not a fact.
export function claimed_text(forms: [Claim, ...Claim[]]): string {
  const text = forms[0].title ?? forms[0].claim;
  for (const { held } of forms) if (!held) return `Claimed: ${text}`;
  return text;
}
