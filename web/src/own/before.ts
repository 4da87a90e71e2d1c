// The answers on texts of one's own before training, in plain sentences: what is predicted.
import { capital } from "../capital";
import type { Training } from "../engine/training";
import { type Said, sentences, trusts } from "./answer";
import type { Forecast } from "./prediction";
import { doubts_in, mark_text, quoted } from "./reasons";
import { indicates, labels_of_words, largest, mean_of, predicted_words, tied_words } from "./trust";

export function predicted(training: Training, forecast: Forecast): Said[] {
  return [
    where_to(training, forecast),
    {
      asks: trusts,
      short: "Not known before training.",
      lines: ["Press Play. Training takes seconds. Then this block answers."],
    },
  ];
}

// Why attention is not predicted. The engine counts words together: single words can indicate labels all the same.
function reasons_in(forecast: Forecast): string[] {
  const { trust, examples } = forecast.prediction,
    [, counted, all] = /count the (\d+) most frequent of (\d+) words/.exec(trust) ?? [];
  const singly = indicates(forecast) && "Single words do indicate the labels: the table has them.";
  if (counted)
    return sentences(
      `${examples} texts are too few for a joint forecast of ${all} words: only the ${counted} most frequent can be counted together.`,
      singly,
    );
  if (trust.includes("no single words"))
    return sentences("Counted together, the words do not indicate the labels beyond chance.", singly);
  return [
    trust.includes("differs between parts")
      ? `Different parts of the ${examples} texts give different forecasts.`
      : capital(trust.replace(/^Do not trust attention here: /, "")),
  ];
}

function where_to(training: Training, forecast: Forecast): Said {
  const asks = "Where will attention go?",
    { attention_predicted, trust } = forecast.prediction;
  if (!attention_predicted) return { asks, short: "No forecast.", lines: reasons_in(forecast) };
  const weights_of = predicted_words(training, forecast),
    words = largest(weights_of, 5),
    marks = largest(weights_of, 5, true).map(one => `${mark_text(one.word)} ${mean_of(one).toFixed(2)}`),
    indicate = labels_of_words(forecast);
  if (words.length === 0 && marks.length > 0)
    return { asks, short: "Most to punctuation.", lines: [`Predicted weights, from 0 to 1: ${marks.join(", ")}.`] };
  if (words.length === 0) return { asks, short: "To no word more than to others.", lines: [capital(trust)] };
  const names = words.map(({ word }) => word),
    fillers = names.filter(word => !indicate.has(word));
  const tied = tied_words(training, forecast),
    clear = words.filter(({ word }) => !tied.has(word)),
    groups = [...new Set(names.map(word => tied.get(word)).filter(group => group !== undefined))];
  const most = [
    ...(clear.length > 0 ? [quoted(clear.map(({ word }) => word))] : []),
    ...groups.map(group => `one or more of ${quoted(group)}`),
  ];
  const weights = clear.map(one => `“${one.word}” ${mean_of(one).toFixed(2)}`).join(", ");
  return {
    asks,
    short: `Most to ${most.join(", and to ")}.`,
    lines: sentences(
      clear.length > 0 && `Predicted weights, from 0 to 1: ${weights}.`,
      groups.length > 0 &&
        `The words of ${groups.length === 1 ? "this group" : "a group"} have equal counts, so the counts do not decide which of them gets attention.`,
      fillers.length > 0 &&
        `${quoted(fillers)} ${fillers.length === 1 ? "is a filler word: it indicates" : "are filler words: they indicate"} no label, but attention is predicted there, too.`,
      marks.length > 0 && `Attention is also predicted on punctuation: ${marks.join(", ")}.`,
      doubts_in(names.filter(word => indicate.has(word))),
    ),
  };
}
