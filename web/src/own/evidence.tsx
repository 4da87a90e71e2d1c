// The words that indicate each label: what removing them changes, how much attention they have, and how often they are counted.
import type { Training } from "../engine/training";
import { Scrolled } from "../scrolled";
import type { Effects } from "./effects";
import type { Candidate, Forecast, Output } from "./prediction";
import { doubt_of, doubts_in } from "./reasons";
import { shade } from "./shaded";
import {
  learned_words,
  mean_of,
  named_of,
  predicted_words,
  range_of,
  shown_of,
  tied_words,
  type Weighed,
} from "./trust";

const most_named = 20; // of the words without a row

interface Props {
  training: Training;
  at: number;
  told: Forecast;
  effects: Effects | undefined;
}

export function Evidence({ training, at, told, effects }: Props) {
  const { outputs, attention_predicted, examples } = told.prediction;
  const look = training.look_at(at);
  const learned = look && look.step > 0 ? learned_words(training, look) : undefined,
    predicted = attention_predicted ? predicted_words(training, told) : undefined;
  const tied = tied_words(training, told);
  const some = outputs.filter(output => shown_of(output).length > 0);
  const doubts = doubts_in(some.flatMap(shown_of).map(({ word }) => word));
  return (
    <>
      {some.length > 0 && (
        <Scrolled label="Words that indicate each label">
          <table class="evidence">
            <thead>
              <tr>
                <th scope="col">word</th>
                {effects && <th scope="col">answers that change without it</th>}
                {learned && <th scope="col">learned attention</th>}
                {predicted && <th scope="col">predicted attention</th>}
                <th scope="col">texts : others</th>
                <th scope="col">probability</th>
              </tr>
            </thead>
            {some.map(output => (
              <tbody key={output.output} data-label={output.output}>
                <tr class="of-label">
                  <th scope="rowgroup" colSpan={6}>
                    <bdi>{output.output}</bdi>{" "}
                    <small>
                      {Math.round(output.per_example * examples)} of {examples} texts
                    </small>
                  </th>
                </tr>
                {shown_of(output).map(one => (
                  <tr key={one.word}>
                    <th scope="row">
                      <bdi>{one.word}</bdi>
                      {doubt_of(one.word) && <small> {doubt_of(one.word)}</small>}
                    </th>
                    {effects && <Without word={one.word} effects={effects} />}
                    {learned && <Weight of={learned.get(one.word)} />}
                    {predicted && <Weight of={predicted.get(one.word)} among={tied.get(one.word)} all={predicted} />}
                    <td class="number">
                      {one.here} : {one.elsewhere}
                    </td>
                    <td class="number">
                      {probability(one)} <small>{one.evidence}</small>
                    </td>
                  </tr>
                ))}
                <More output={output} />
              </tbody>
            ))}
          </table>
        </Scrolled>
      )}
      {doubts && (
        <p>
          {doubts} Do not give {doubts.includes(" are ") ? "them" : "it"} as a reason without a check.
        </p>
      )}
      {some.length > 0 && (
        <p class="soft">
          {effects && "Answers that change are counted in the held-out texts with the word. "}
          {(predicted || learned) &&
            "Attention is the mean weight on the word, from 0 to 1, in the held-out texts with it. “–”: no held-out text has the word. "}
          {tied.size > 0 &&
            "A range is of words with equal counts: the counts do not decide which of them gets attention. "}
          Texts : others counts the texts with the word that have this label, and those that have another label. The
          probability says how sure it is that the word indicates this label in further texts like yours. The surest
          words come first.
        </p>
      )}
      {outputs
        .filter(output => !some.includes(output))
        .map(({ output }) => (
          <p>
            No word was found for <bdi>{output}</bdi>.
          </p>
        ))}
    </>
  );
}

// The words that indicate a label and have no row.
function More({ output }: { output: Output }) {
  const more = named_of(output).slice(shown_of(output).length),
    named = more.slice(0, most_named);
  if (more.length === 0) return null;
  return (
    <tr class="of-label more">
      <td colSpan={6}>
        <small>
          {more.length} more {more.length === 1 ? "word indicates" : "words indicate"} <bdi>{output.output}</bdi>:{" "}
          {named.map(({ word, here, elsewhere }) => `“${word}” ${here} : ${elsewhere}`).join(", ")}
          {more.length > most_named && ", …"}
        </small>
      </td>
    </tr>
  );
}

// Certainty is not known to a hundredth.
const probability = ({ likely }: Candidate) => (likely > 0.99 ? "> 0.99" : likely.toFixed(2));

interface WeightProps {
  of: Weighed | undefined;
  among?: string[] | undefined; // words that it is tied with, itself among them
  all?: Map<string, Weighed>;
}

// A mean weight, behind it the colour that it has in texts.
function Weight({ of, among, all }: WeightProps) {
  const mean = of && mean_of(of);
  if (among && all)
    return (
      <td class="number weight">
        {range_of(among, all)
          .map(weight => weight.toFixed(2))
          .join("–")}
      </td>
    );
  return (
    <td class="number weight" style={mean === undefined ? undefined : { "--share": shade(mean) }}>
      {mean === undefined ? "–" : mean.toFixed(2)}
    </td>
  );
}

function Without({ word, effects }: { word: string; effects: Effects }) {
  const removal = effects.without.get(word);
  return <td class="number">{removal ? `${removal.changed} of ${removal.texts}` : "–"}</td>;
}
