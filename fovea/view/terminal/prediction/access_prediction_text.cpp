#include "fovea/view/terminal/prediction/access_prediction_text.h"

#include <fmt/format.h>

namespace fovea {

namespace {

std::string verdict_line(const AccessPrediction& p, const Terminal& terminal) {
  constexpr double most = 0.9, least = 0.1;
  const Estimate share = p.interval();
  std::string says =
      fmt::format("{:.3g} % of the accesses are predicted by {} (95 % interval: {:.3g} to {:.3g} %)",
                  100 * p.expected(), p.told.both >= p.in_window.both ? "contexts of training" : "the window itself",
                  100 * share.low, 100 * share.high);
  const TableScore& best = p.best_table();
  const bool table_knows_more = best.both > p.expected() + 0.05;
  if (table_knows_more) says += fmt::format(", and {:.3g} % by the table '{}'", 100 * best.both, best.name);
  if (!p.enough()) return fmt::format("unknown, because {} validation windows are too few: {}", p.asked, says);
  if (p.expected() < least)
    return toned(table_knows_more ? "hard for a network" : "hard", Tone::bad, terminal) + ": " + says;
  if (p.expected() < most) return "in part: " + says;
  return toned("not hard", Tone::good, terminal) + ": " + says;
}

}  // namespace

std::string access_prediction_text(const AccessPrediction& p, const Terminal& terminal) {
  using Align = TextTable::Align;
  const auto number = [](double share) { return fmt::format("{:.4f}", share); };
  const std::vector<TextTable::Column> columns{
      {"page", Align::right}, {"offset", Align::right}, {"both", Align::right}, {"predicted correctly by"}};
  TextTable shares(columns), tables(columns);
  const auto row = [&](const AccessShares& s, const std::string& by) {
    shares.row({number(s.page), number(s.offset), number(s.both), by});
  };
  row(p.told, "the successors of the surest contexts in training");
  row(p.in_window, "the successor of the last access earlier in the window");
  for (const TableScore& t : p.tables) tables.row({number(t.page), number(t.offset), number(t.both), t.name});
  return fmt::format(
      "{}.\n"
      "\n"
      "Fitted on accesses {} to {} ({} training windows), measured on accesses {} to {} ({} validation windows).\n"
      "{}\n"
      "Predictions of the same windows by tables that read the trace up to each access:\n"
      "{}\n"
      "In {:.3g} % of the windows, the next page is new: it followed no training window.\n",
      verdict_line(p, terminal), p.fitted.first, p.fitted.last, p.trained_on, p.scored.first, p.scored.last, p.asked,
      shares.text(terminal), tables.text(terminal), 100 * p.new_pages);
}

}  // namespace fovea
