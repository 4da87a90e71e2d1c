// The kept results of full forms, for experiments that have not been run here.
import kept from "#kept";
import type { Claim, Finding } from "../model";

export interface KeptResult {
  corpus: string; // "": the experiment has none
  claims: Claim[];
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
        verdict: claim.held ? "supported" : "not supported",
        form: "full",
      })),
    }));
}

// A finding with its kept result, if nothing newer is known of it.
export function with_kept(finding: Finding): Finding {
  const key = kept.findings[finding.heading];
  if (finding.claim || key === undefined) return finding;
  const claim = kept_of(finding.experiment)
    .filter(({ corpus }) => corpus === "")
    .flatMap(({ claims }) => claims)
    .find(({ name, claim }) => (name ? name === key : claim.startsWith(key)));
  return claim ? { ...finding, claim, kept: true } : finding;
}
