#include "fovea/view/terminal/access_prediction_text.h"

#include <fmt/format.h>

namespace fovea {

namespace {

std::string verdict_line(const AccessPrediction& p, const Terminal& terminal) {
  constexpr double most = 0.9, least = 0.1;
  const std::string says =
      fmt::format("{} tells {:.3g} % of the accesses",
                  p.told >= p.in_window ? "what training has seen" : "the window itself", 100 * p.expected());
  if (p.expected() < least) return toned("hard", Tone::bad, terminal) + ": " + says;
  if (p.expected() < most) return "in part: " + says;
  return toned("not hard", Tone::good, terminal) + ": " + says;
}

}  // namespace

std::string access_prediction_text(const AccessPrediction& p, const Terminal& terminal) {
  using Align = TextTable::Align;
  std::string text = fmt::format("{}.\n\nOf {} windows of validation, after {} of training:\n",
                                 verdict_line(p, terminal), p.asked, p.trained_on);
  const auto number = [](double share) { return fmt::format("{:.4f}", share); };
  TextTable shares({{"share", Align::right}, {""}});
  shares.row({number(p.told), "the next access is what followed the surest context in training"});
  shares.row({number(p.in_window), "the next access is what followed the last one earlier in the window"});
  shares.row({number(p.new_pages), "the next page is new: it followed no window of training"});
  TextTable tables({{"right", Align::right}, {"table"}});
  for (const TableScore& table : p.tables) tables.row({number(table.both), table.name});
  return text + shares.text(terminal) + "\nOf the same windows, tables that are fed the trace up to each access:\n" +
         tables.text(terminal);
}

}  // namespace fovea
