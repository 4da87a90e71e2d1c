// What the story begins and ends with: the findings, and the claims of full forms that were not supported.
import { type Claim, type Failure, type Finding, value_text } from "../model";

function Verdict({ claim }: { claim: Claim }) {
  return (
    <span class={`state ${claim.held ? "done" : "failed"}`}>{claim.held ? "✓ supported" : "✗ not supported"}</span>
  );
}

// The value and what it is, and the threshold.
const measured = (claim: Claim, measures = "") => (
  <span class="soft">
    {value_text(claim)}
    {measures && `: ${measures}`} ({claim.wanted.replace(">=", "≥").replace("<=", "≤")})
  </span>
);

// Each leads to its experiment. `address` is where the story shows it, and nothing if the story does not have it.
export function Findings({ findings, address }: { findings: Finding[]; address: (experiment: string) => string }) {
  if (!findings.some(one => one.claim && !one.kept)) return null;
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">Findings</h2>
      <ul class="claims findings">
        {findings.map(({ experiment, heading, measures, why, kept, claim }) => (
          <li data-finding={experiment}>
            {claim ? <Verdict claim={claim} /> : <span class="state">not reproduced</span>}
            <span>
              {address(experiment) ? <a href={address(experiment)}>{heading}</a> : heading}{" "}
              {claim && measured(claim, measures)}
              <br />
              <span class="soft">
                {why}
                {kept && " Kept result of the full form; the quick form does not test it."}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function NotSupported({ failures, number }: { failures: Failure[]; number: number }) {
  if (failures.length === 0) return null;
  return (
    <section class="chapter" aria-labelledby="chapter-not-supported">
      <h2 id="chapter-not-supported" tabIndex={-1}>
        <span class="count">{number}</span> What was not supported
      </h2>
      <p>
        Claims of full forms that failed when the full forms were last run. These are kept results, not results of the
        runs above.
      </p>
      {failures.map(({ experiment, corpus, says, claims }) => (
        <article>
          <h3>
            <code>{experiment}</code>
            {corpus && ` on ${corpus}`}
          </h3>
          <ul class="claims">
            {claims.map(claim => (
              <li>
                <Verdict claim={claim} />
                <span>
                  {claim.title ?? claim.claim} {measured(claim)}
                </span>
              </li>
            ))}
          </ul>
          <p>{says}</p>
        </article>
      ))}
    </section>
  );
}
