#include "fovea/view/terminal/audit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fovea {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double last(const RunRecord& run, const std::string& name) {
  const auto found = run.series.find(name);
  return found == run.series.end() || found->second.values.empty() ? none : found->second.values.back();
}
double first(const RunRecord& run, const std::string& name) {
  const auto found = run.series.find(name);
  return found == run.series.end() || found->second.values.empty() ? none : found->second.values.front();
}
std::string percent(double share) { return std::isnan(share) ? "?" : fmt::format("{:.1f} %", 100 * share); }

// How well something is predicted, by its share of explained variance. Below 0 that is no share.
std::string explains(double score) {
  return score < 0 ? "predicts it worse than the mean does"
                   : fmt::format("explains {} of its variance", percent(score));
}

AuditLine local_line(const RunRecord& run) {
  AuditLine line{"local", "hidden states reflect local words", last(run, "audit_state_explained_by_word"), {}};
  line.sentence = std::isnan(line.value)
                      ? "The states could not be compared: no word was seen twice, or they do not vary."
                      : fmt::format("The state at the end: the word alone {}.", explains(line.value));
  if (const double here = last(run, "audit_word_decoded"); !std::isnan(here))
    line.sentence += fmt::format(
        " A linear reader finds the word itself in {}, its neighbours in {}, the second neighbours in {} (chance {}).",
        percent(here), percent(last(run, "audit_neighbour_decoded")),
        percent(last(run, "audit_second_neighbour_decoded")), percent(last(run, "audit_word_decoded_chance")));
  return line;
}

AuditLine free_line(const RunRecord& run) {
  AuditLine line{"free", "attention weights are free parameters", last(run, "audit_free_logit_cosine_mean"), {}};
  line.sentence =
      std::isnan(line.value)
          ? "No comparison is possible: attention did not move between two evaluations with β of the same rows."
          : fmt::format("The movement of attention has a cosine of {:.3f} with the movement of free logits.",
                        line.value);
  return line;
}

AuditLine separate_line(const RunRecord& run) {
  const double overlap = last(run, "audit_attention_rise_at_half_knowledge");
  AuditLine line{"separate", "two separate stages", 1 - overlap, {}};
  line.sentence =
      std::isnan(overlap)
          ? "The stages could not be separated: attention or knowledge did not rise, or the truth is unknown."
          : fmt::format("When knowledge had risen by half, {} of attention's rise had happened.",
                        overlap < 0 ? "none" : percent(overlap));
  return line;
}

AuditLine uniform_line(const RunRecord& run) {
  AuditLine line{"uniform", "attention is uniform early", first(run, "audit_entropy"), {}};
  const double leaves = last(run, "audit_first_step_not_uniform");
  line.sentence = fmt::format("At the start the normalised entropy of attention is {:.4f}; it ", line.value) +
                  (std::isnan(leaves) ? "stays above 0.95 to the end."
                                      : fmt::format("is below 0.95 for the first time at step {:.0f}.", leaves));
  return line;
}

AuditLine mean_line(const RunRecord& run) {
  AuditLine line{"mean", "the mean state is a map of the mean embedding", last(run, "audit_mean_state_explained"), {}};
  line.sentence = std::isnan(line.value)
                      ? "The mean states could not be compared: they do not vary, or the model has no embeddings."
                      : fmt::format(
                            "The mean state of new texts at the end: a linear map of the mean embedding {}. "
                            "A map fitted to the states of other texts {}.",
                            explains(line.value), explains(last(run, "audit_mean_state_explained_shuffled")));
  return line;
}

}  // namespace

bool has_audit(const RunRecord& run) { return run.series.contains("audit_entropy"); }

std::vector<AuditLine> audit_lines(const RunRecord& run) {
  return {local_line(run), free_line(run), separate_line(run), uniform_line(run), mean_line(run)};
}

std::string audit_text(const RunRecord& run, const Terminal& terminal) {
  using Column = TextTable::Column;
  TextTable table(
      {Column{"assumption"}, Column{"score", TextTable::Align::right}, Column{"result", TextTable::Align::left, true}});
  for (const AuditLine& line : audit_lines(run)) {
    const Tone tone = std::isnan(line.value) ? Tone::faint : line.value < 0.5 ? Tone::bad : Tone::plain;
    const std::string score = std::isnan(line.value) ? "-"
                              : line.value < 0       ? "below 0"
                                                     : fmt::format("{:.3f}", line.value);
    table.row({line.assumes, {score, tone}, line.sentence});
  }
  return table.text(terminal);
}

}  // namespace fovea
