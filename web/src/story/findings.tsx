// What the story begins and ends with: the findings, and the claims of full forms that were not supported.
import { type Claim, type Failure, type Finding, verdict_text } from "../model";
import { Measured } from "./experiment";
import { claimed_text, with_kept } from "./kept";

function Verdict({ claim }: { claim: Claim }) {
  return <span class={`state ${claim.held ? "done" : "failed"}`}>{verdict_text(claim)}</span>;
}

// A line for each with its value, which unfolds why it matters. `address` is where the story shows its experiment, and
// nothing if the story does not have it. `absent` says why findings have no value: they stand in one line below.
export function Findings(props: {
  findings: Finding[];
  address: (experiment: string) => string;
  first: boolean;
  absent: string;
}) {
  const { findings, address, first, absent } = props;
  const all = findings.map(with_kept),
    open = all.filter(({ claim }) => !claim);
  if (open.length === all.length) return null;
  const Heading = first ? "h2" : "h3";
  return (
    <section aria-labelledby="findings">
      <Heading id="findings">Findings</Heading>
      <ul class="claims findings">
        {all.map(
          ({ experiment, heading, measures, why, kept, claim }) =>
            claim && (
              <li data-finding={experiment}>
                <details>
                  <summary class="claim">
                    <span>
                      <Verdict claim={claim} />
                      {kept && <span class="soft"> full form, kept</span>}
                    </span>
                    <span class="title">
                      {claim.held ? heading : heading.endsWith("?") ? `${heading} No.` : `Claimed: ${heading}`}
                    </span>
                    <span class="value">
                      <Measured claim={claim} />
                      {measures && <span class="measures soft">: {measures}</span>}
                    </span>
                  </summary>
                  <div class="claim-details">
                    <p>
                      {why}
                      {kept && " The full form was run before; its result is kept with the program."}
                    </p>
                    {address(experiment) && <a href={address(experiment)}>Open the experiment</a>}
                  </div>
                </details>
              </li>
            ),
        )}
      </ul>
      {open.length > 0 && (
        <p class="soft open-findings">
          {absent.charAt(0).toUpperCase() + absent.slice(1)}:{" "}
          {open.map(({ experiment, heading }, i) => (
            <>
              {i > 0 && "; "}
              <span data-finding={experiment}>{heading}</span> (<code>{experiment}</code>)
            </>
          ))}
          .
        </p>
      )}
    </section>
  );
}

// Failed claims, by experiment: its title, the form, and a sentence on the result. The story gives `title` and `address`
// of an experiment.
export function NotSupported(props: {
  failures: Failure[];
  number: number;
  title: (experiment: string) => string;
  address: (experiment: string) => string;
}) {
  const { failures, number, title, address } = props;
  if (failures.length === 0) return null;
  const count = failures.reduce((sum, { claims }) => sum + claims.length, 0);
  return (
    <section class="chapter" aria-labelledby="chapter-not-supported">
      <h2 id="chapter-not-supported" tabIndex={-1}>
        <span class="count">{number}</span> What was not supported
      </h2>
      <p>
        {count} claims of full forms failed when the full forms were last run. These results are kept with the program.
        They are not results of the runs above.
      </p>
      {failures.map(({ experiment, corpus, says, claims }) => {
        const [first, more] = halves_of(says);
        return (
          <details class="failure" data-failure={experiment} key={experiment + corpus}>
            <summary>
              {title(experiment)}{" "}
              <span class="soft">
                <code>{experiment}</code>, full form{corpus && `, on ${corpus}`}
              </span>
            </summary>
            <p>{first}</p>
            <ul class="claims">
              {claims.map(claim => (
                <li>
                  <details>
                    <summary class="claim">
                      <Verdict claim={claim} />
                      <span class="title">{claimed_text([claim])}</span>
                      <span class="value">
                        <Measured claim={claim} />
                      </span>
                    </summary>
                    <div class="claim-details">
                      {claim.title && <p>{claim.claim}</p>}
                      {more && <p>{more}</p>}
                    </div>
                  </details>
                </li>
              ))}
            </ul>
            <p>
              <a href={address(experiment)}>The chapter of {experiment}</a>
            </p>
          </details>
        );
      })}
    </section>
  );
}

// The first sentence of a text, and the others.
function halves_of(text: string): [string, string] {
  const end = text.search(/(?<=[.]) /);
  return end < 0 ? [text, ""] : [text.slice(0, end), text.slice(end + 1)];
}
