#include "fovea/view/terminal/prediction/stream_prediction_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fovea {

namespace {

using Column = TextTable::Column;
constexpr auto right = TextTable::Align::right;
constexpr int shown_lags = 5;

std::string flow_time_text(double time) { return std::isfinite(time) ? fmt::format("{:.4g}", time) : "never"; }

std::string verdict_line(const StreamPrediction& p, const Terminal& terminal) {
  const int told = p.lags.positions - p.lags.hard_positions;
  if (p.lags.hard)
    return toned("hard", Tone::bad, terminal) + ": no single earlier token is informative about the answers" +
           (told == 0 ? "" : fmt::format(" of all positions together; at {} positions, one is informative", told));
  const auto clear = std::count_if(p.lags.lags.begin(), p.lags.lags.end(), [](const Lag& lag) { return lag.clear; });
  const std::string verdict =
      toned("not hard", Tone::good, terminal) + fmt::format(": {} of {} lags {} informative about the answers", clear,
                                                            p.lags.lags.size(), clear == 1 ? "is" : "are");
  if (p.lags.hard_positions == 0) return verdict;
  return verdict + fmt::format(".\nAt {} of {} positions with a question, no single token is informative",
                               p.lags.hard_positions, p.lags.positions);
}

std::string ladder_text(const StreamPrediction& p, const Terminal& terminal) {
  if (p.rungs.empty()) return "The task has no predicted plateaus.\n";
  TextTable table({Column{"information used"}, Column{"nats", right}, Column{"±", right}});
  for (const RungHeight& rung : p.rungs)
    table.row({rung.name, fmt::format("{:.4f}", rung.nats),
               std::isfinite(rung.error) ? fmt::format("{:.4f}", rung.error) : std::string("-")});
  std::string text = fmt::format("Predicted loss plateaus{}, on {} validation examples:\n",
                                 p.last ? " at the last answer" : "", p.examples) +
                     table.text(terminal);
  for (std::size_t i = 1; i < p.rungs.size(); ++i)
    if (p.rungs[i].nats - p.rungs[i - 1].nats > 3 * p.rungs[i].error)
      text += fmt::format("({} uses more information than {}, and predicts these data worse.)\n", p.rungs[i].name,
                          p.rungs[i - 1].name);
  return text;
}

std::string lags_text(const StreamPrediction& p, const Terminal& terminal) {
  TextTable table({Column{"lag", right}, Column{"share predicted beyond chance", right}, Column{"deviations", right},
                   Column{"positions", right}});
  for (const Lag& lag : p.lags.best(shown_lags))
    table.row({fmt::format("{}", lag.lag),
               fmt::format("{:.5f}", std::max(0.0, lag.share)),
               {fmt::format("{:.1f}", lag.deviations), lag.clear ? Tone::good : Tone::faint},
               fmt::format("{}", lag.positions)});
  std::string text = "Lag: distance to an earlier token. Share: how well this token predicts the answer (1: fully).\n" +
                     table.text(terminal);
  if (p.lags.lags.size() > shown_lags)
    text += fmt::format("… and {} more lags (all of them are in the JSON)\n", p.lags.lags.size() - shown_lags);
  return text;
}

// `two`: the times of another flow follow, in another unit.
std::string induction_text(const InductionTimes& times, bool two) {
  std::string text = two ? "\nFlow 1, for any model: each token has its own memory. Its times rank tasks." : "";
  return text +
         fmt::format(
             "\nThe induction flow of {:.3g} positions and {} tokens halves the loss at time {}.\n"
             "If attention to the previous token is given, the time is {}. If the match is given too, it is {}.\n"
             "These times rank settings, and are not steps. A larger time is later.\n",
             times.context.positions, times.context.vocabulary, flow_time_text(times.time),
             flow_time_text(times.with_previous), flow_time_text(times.with_match));
}

// A law by what it says of this context, and of one twice as long.
std::string laws_text(const CausalTimes& times, const Terminal& terminal) {
  const auto steps = [&](double time) {
    return times.rate > 0 && std::isfinite(time) ? fmt::format("{:.0f}", time / times.rate) : std::string("-");
  };
  const bool longer = std::isfinite(times.longer);
  TextTable table({Column{"law"}, Column{"time", right}, Column{"steps", right}, Column{"twice as long", right}});
  table.row({"flow, causal first layer", flow_time_text(times.time), steps(times.time),
             longer ? fmt::format("× {:.2f}", times.longer / times.time) : "-"});
  table.row({"flow, layer 1 reads all", flow_time_text(times.everywhere), steps(times.everywhere), "-"});
  table.row({"square of the length", "-", "-", "× 4"});
  table.row({"root of batch × context", "-", "-", "× 0.71"});
  std::string text = "\nFlow 2, for model induction-exact: all tokens share one memory. It predicts steps.\n";
  text += fmt::format(
      "Three laws for the steps to an induction head, of {:.0f} positions before the query and\n{} tokens. The head "
      "is there if the loss is below {:.4f}.\n",
      times.context.positions, times.context.vocabulary, times.context.level);
  text += table.text(terminal);
  text += times.rate > 0
              ? fmt::format("Steps are predicted for plain descent of model induction-exact at rate {}.\n", times.rate)
              : "The steps of plain descent of model induction-exact are the time divided by the rate.\n";
  return text + "Times depend on the optimiser too: under Adam none of the flows applies.\n";
}

}  // namespace

std::string stream_prediction_text(const StreamPrediction& p, const Terminal& terminal) {
  std::string text =
      fmt::format("{}.\n\nFrom {} sequences with {} answers.\n\n", verdict_line(p, terminal), p.sequences, p.asked);
  text += ladder_text(p, terminal) + "\n" + lags_text(p, terminal);
  if (p.induction) text += induction_text(*p.induction, p.causal.has_value());
  if (p.causal) text += laws_text(*p.causal, terminal);
  return text;
}

}  // namespace fovea
