// What the story begins and ends with: the findings, and the claims of full forms that were not supported.
import type { Claim, Failure, Finding } from "../model";
import { Measured } from "./experiment";

function Verdict({ claim }: { claim: Claim }) {
  return (
    <span class={`state ${claim.held ? "done" : "failed"}`}>{claim.held ? "✓ supported" : "✗ not supported"}</span>
  );
}

// A line for each with its value, which unfolds why it matters. `address` is where the story shows its experiment, and
// nothing if the story does not have it. `absent` marks a finding without a value.
export function Findings(props: {
  findings: Finding[];
  address: (experiment: string) => string;
  first: boolean;
  absent: string;
}) {
  const { findings, address, first, absent } = props;
  if (!findings.some(one => one.claim && !one.kept)) return null;
  const with_results_first = [...findings].sort((a, b) => Number(!a.claim) - Number(!b.claim));
  const Heading = first ? "h2" : "h3";
  return (
    <section aria-labelledby="findings">
      <Heading id="findings">Findings</Heading>
      <ul class="claims findings">
        {with_results_first.map(({ experiment, heading, measures, why, kept, claim }) => (
          <li data-finding={experiment}>
            <details>
              <summary class="claim">
                {claim ? <Verdict claim={claim} /> : <span class="state absent">{absent}</span>}
                <span class="title">{heading}</span>
                <span class="value">
                  {claim && <Measured claim={claim} />}
                  {kept && <span class="soft"> (kept result)</span>}
                  {claim && measures && <span class="measures soft">: {measures}</span>}
                </span>
              </summary>
              <div class="claim-details">
                <p>
                  {why}
                  {kept && " Kept result of the full form; the quick form does not test it."}
                </p>
                {address(experiment) && <a href={address(experiment)}>Open the experiment</a>}
              </div>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

// The claims of each experiment as lines, which unfold what follows from them.
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
      <ul class="claims">
        {failures.flatMap(({ experiment, corpus, says, claims }) =>
          claims.map(claim => (
            <li>
              <details>
                <summary class="claim">
                  <Verdict claim={claim} />
                  <span class="title">{claim.title ?? claim.claim}</span>
                  <span class="value">
                    <Measured claim={claim} />
                  </span>
                </summary>
                <div class="claim-details">
                  <p>
                    <code>{experiment}</code>
                    {corpus && ` on ${corpus}`}
                  </p>
                  {claim.title && <p>{claim.claim}</p>}
                  <p>{says}</p>
                </div>
              </details>
            </li>
          )),
        )}
      </ul>
    </section>
  );
}
