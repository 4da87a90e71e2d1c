#include "fovea/view/terminal/prediction_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fovea {

namespace {

constexpr std::size_t shown_outputs = 12;

std::string when(const char* what, double time) {
  return std::isfinite(time) ? fmt::format("{} at {:.4g}", what, time) : fmt::format("never {}", what);
}

constexpr double probably = 0.8, perhaps = 0.6;  // a candidate's chance
constexpr std::size_t shown_candidates = 3;

// To two digits: more are not known.
std::string about(double count) {
  const double ten = std::pow(10, std::max(0.0, std::floor(std::log10(count)) - 1));
  return fmt::format("{:.0f}", ten * std::ceil(count / ten));
}

// Those that are sure; where none is, the likeliest, with what would settle the first of them.
std::string words_text(const OutputPrediction& output, const BagSource& source, bool deviations) {
  std::string text;
  for (const WordLink& link : output.words) {
    text += (text.empty() ? "" : ", ") + source.input_word(link.input);
    if (deviations) text += fmt::format(" {:.1f} σ", link.surely);
  }
  if (!text.empty()) return text;
  for (const Candidate& one : output.candidates) {
    if (one.likely < perhaps || &one - output.candidates.data() == shown_candidates) break;
    text += fmt::format("{}{} {}, {:.1f} σ", text.empty() ? "" : "; ", one.likely < probably ? "perhaps" : "probably",
                        source.input_word(one.input), one.surely);
  }
  if (text.empty()) return "cannot tell";
  const double settled = output.candidates.front().settled_by;
  return text + fmt::format(" (about {} examples would settle it)", about(settled));
}

std::string outputs_text(const Prediction& p, const BagSource& source, const Terminal& terminal) {
  using Column = TextTable::Column;
  const bool classes = p.kind == BagSource::Outputs::classes;
  constexpr auto right = TextTable::Align::right;
  TextTable table({Column{classes ? "class" : "output"}, Column{"per example", right}, Column{"decodable", right},
                   Column{"±", right}, Column{"attention will come to", TextTable::Align::left, true}});
  for (std::size_t k = 0; k < std::min(shown_outputs, p.outputs.size()); ++k) {
    const OutputPrediction& output = p.outputs[k];
    table.row({source.output_word(output.output), fmt::format("{:.3f}", output.mean),
               fmt::format("{:.3f}", std::max(0.0, output.decodable)), fmt::format("{:.3f}", output.error),
               words_text(output, source, p.most_words > PredictionOptions().most_words)});
  }
  std::string text = table.text(terminal);
  for (const OutputPrediction& output : p.outputs)
    for (const auto& [a, b] : output.together)
      text += fmt::format("'{}' and '{}' hardly stand apart: attention may go to either.\n", source.input_word(a),
                          source.input_word(b));
  if (p.outputs.size() > shown_outputs)
    text += fmt::format("… and {} more outputs (all of them are in the JSON)\n", p.outputs.size() - shown_outputs);
  return text;
}

std::string course_text(const Prediction& p, const BagSource& source) {
  const Course& course = p.course;
  if (course.times.size() < 2)
    return "No word is surely linked to an output: from these data alone the predicted training does not leave its "
           "start.\n";
  constexpr int width = 60;
  std::string text =
      fmt::format("The course by gradient flow from uniform attention, time 0 to {:.4g}:\n", course.times.back());
  if (p.course_class >= 0)
    text += fmt::format("('{}', the class that is told best, against the rest)\n", source.output_word(p.course_class));
  const auto line = [&](const char* name, const std::vector<double>& curve, const std::string& comes) {
    return fmt::format("  {:<11}{} {:.3f} → {:.3f}   {}\n", name, sparkline(course.evenly(curve, width), width),
                       curve.front(), curve.back(), comes);
  };
  text += line("knowledge", course.knowledge, when("half-way", course.knowledge_half));
  text += line("attention", course.attention, when("half-way", course.attention_half));
  text += line("P(right)", course.correct, when("90 %", course.correct_90));
  if (course.accuracy.empty()) return text;
  text += line("accuracy", course.accuracy, when("90 %", course.accuracy_90));
  text += fmt::format(
      "Knowledge (the probability of the right answer, were all attention on its word), attention on that word and "
      "P(right)\n"
      "(the probability of the right answer) are means over the {} examples that are followed. Accuracy is the share "
      "of "
      "right\n"
      "answers on {} others that it was not fitted to.\n",
      p.followed, p.unseen);
  return text;
}

}  // namespace

std::string prediction_text(const Prediction& p, const BagSource& source, const Terminal& terminal) {
  const Tone tone = p.verdict == Verdict::hard ? Tone::bad : p.verdict == Verdict::early ? Tone::good : Tone::strong;
  std::string text = fmt::format("{}\n{}.\n\n", toned(verdict_text(p.verdict), tone, terminal), p.because);
  const std::string copies = p.copies == 0
                                 ? ""
                                 : fmt::format(" (and {} {} of them, which {} not counted)", p.copies,
                                               p.copies == 1 ? "copy" : "copies", p.copies == 1 ? "is" : "are");
  text += fmt::format("From {} examples{}{}, {:.4g} words each.\n\n", p.examples, copies,
                      p.sampled < p.examples ? fmt::format(" (pairs of words counted in {} of them)", p.sampled) : "",
                      p.input_length);
  text += outputs_text(p, source, terminal) + "\n" + course_text(p, source);
  return text;
}

std::string shaded_words(std::span<const std::string> words, std::span<const double> weights,
                         const Terminal& terminal) {
  static constexpr std::array<const char*, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<int, 7> shades{223, 222, 221, 215, 214, 208, 202};  // light to deep orange
  const double most = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i) text += ' ';
    // A weight that is no more than everyone's is no attention.
    const double even = 1 / static_cast<double>(words.size());
    const double level = most > 1.001 * even ? (weights[i] - even) / (most - even) * std::min(1.0, most / 0.5) : 0;
    if (level <= 0.02) text += words[i];
    else if (terminal.color)
      text += fmt::format("\x1b[30;48;5;{}m{}\x1b[0m", shades[static_cast<std::size_t>(std::min(6.0, level * 7))],
                          words[i]);
    else text += words[i] + blocks[static_cast<std::size_t>(std::min(7.0, level * 8))];
  }
  return text;
}

}  // namespace fovea
