#include "fovea/view/terminal/prediction/prediction_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/base/functions/functions.h"

namespace fovea {

namespace {

constexpr std::size_t shown_outputs = 12;

std::string when(const char* what, double time) {
  return std::isfinite(time) ? fmt::format("{} at {:.4g}", what, time) : fmt::format("never {}", what);
}

constexpr int paragraph = 118;                             // columns of one where nothing limits it
constexpr std::size_t few_classes = 4, words_of_many = 3;  // words that are shown of each of more classes
constexpr std::size_t shown_doubtful = 8;
constexpr int doubtful_columns = 60;

// To two digits: more are not known.
std::string about(double count) {
  const double ten = math::pow(10, std::max(0.0, std::floor(math::log10(count)) - 1));
  return fmt::format("{:.0f}", ten * std::ceil(count / ten));
}

std::string more_outputs(const Prediction& p) {
  if (p.outputs.size() <= shown_outputs) return {};
  return fmt::format("… and {} more outputs (all of them are in the JSON)\n", p.outputs.size() - shown_outputs);
}

std::string together_text(const Prediction& p, const BagSource& source) {
  std::string text;
  for (const OutputPrediction& output : p.outputs)
    for (const auto& [a, b] : output.together)
      text += fmt::format("'{}' and '{}' hardly differ, so attention may move to either.\n", source.input_word(a),
                          source.input_word(b));
  return text;
}

// Each output with the input that attention will come to.
std::string outputs_text(const Prediction& p, const BagSource& source, const Terminal& terminal) {
  using Column = TextTable::Column;
  constexpr auto right = TextTable::Align::right;
  TextTable table({Column{"output"}, Column{"per example", right}, Column{"decodable", right}, Column{"±", right},
                   Column{"attention will move to", TextTable::Align::left, true}});
  for (std::size_t k = 0; k < std::min(shown_outputs, p.outputs.size()); ++k) {
    const OutputPrediction& output = p.outputs[k];
    table.row({source.output_word(output.output), fmt::format("{:.3f}", output.mean),
               fmt::format("{:.3f}", std::max(0.0, output.decodable)), fmt::format("{:.3f}", output.error),
               output.words.empty() ? "uncertain" : source.input_word(output.words.front().input)});
  }
  return table.text(terminal) + together_text(p, source) + more_outputs(p);
}

std::string attended_text(const Candidate& word, bool predicted) {
  if (!predicted || std::isnan(word.attended)) return "not predicted";
  return fmt::format("{:.2f} × uniform", word.attended);
}

// Each class with the words that go with it, by how many texts hold them; attention beside them.
std::string classes_text(const Prediction& p, const BagSource& source, const Terminal& terminal) {
  using Column = TextTable::Column;
  constexpr auto right = TextTable::Align::right;
  TextTable table({Column{"class"}, Column{"word"}, Column{"with it", right}, Column{"others", right},
                   Column{"σ", right}, Column{"evidence"}, Column{"attention", TextTable::Align::left, true}});
  const bool predicted = predicts_attention(p), all = p.outputs.size() <= few_classes;
  const bool asked = p.most_words != PredictionOptions().most_words;
  std::string none, alone, settles;
  for (std::size_t k = 0; k < std::min(shown_outputs, p.outputs.size()); ++k) {
    const OutputPrediction& output = p.outputs[k];
    const std::string label = source.output_word(output.output);
    const auto is_weak = [](const Candidate& word) { return word.evidence == EvidenceLevel::weak; };
    const bool weak = std::ranges::all_of(output.candidates, is_weak);  // then the first of these are shown
    std::size_t shown = 0;
    for (const Candidate& word : output.candidates) {
      if (is_weak(word) && !weak) continue;
      if (shown == words_of_many && (weak || !all) && !asked) break;
      table.row({shown++ == 0 ? label : "", source.input_word(word.input), fmt::format("{}", word.here),
                 fmt::format("{}", word.elsewhere), fmt::format("{:.1f}", word.surely), evidence_name(word.evidence),
                 attended_text(word, predicted)});
      if (may_give_label(p, output, word))
        alone +=
            wrapped(fmt::format("{} of the {} texts with '{}' are of class '{}'. Check that it does not reveal the "
                                "label.\n",
                                word.here, word.here + word.elsewhere, source.input_word(word.input), label),
                    terminal.width);
      if (!is_weak(word) && word.evidence != EvidenceLevel::strong && settles.empty())
        settles = fmt::format("About {} distinct texts would make '{}' strong evidence.\n", about(word.settled_by),
                              source.input_word(word.input));
    }
    if (shown == 0) none += fmt::format("No word was found for class '{}'.\n", label);
  }
  std::string text;
  if (table.size() > 0)
    text +=
        wrapped(
            "Words that indicate each class, with the number of texts of this class and of others that contain them.\n",
            terminal.width) +
        table.text(terminal);
  return text + none + settles + alone + together_text(p, source) + more_outputs(p);
}

// How often the verdict came out on parts of the texts.
std::string repeated_text(const Prediction& p) {
  int all = 0;
  std::string text;
  for (std::size_t v = 0; v < verdicts; ++v) {
    if (p.repeated[v] == 0) continue;
    all += p.repeated[v];
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", verdict_name(static_cast<Verdict>(v)), p.repeated[v]);
  }
  return all == 0 ? "" : fmt::format("On {} draws of four fifths of the texts: {}.\n", all, text);
}

std::string doubtful_labels_text(const Prediction& p, const BagSource& source) {
  const LabelCheck& check = p.labels;
  if (check.doubtful.empty()) return {};
  const std::size_t count = check.doubtful.size();
  std::string text = fmt::format(
      "\nCheck {}: all models give another class.\nTheir accuracy on texts left out of training is {:.2f}.\n"
      "Expected number of right labels among these: {:.1f}.\n",
      count == 1 ? "this label" : fmt::format("these {} labels", count), check.accuracy, check.false_alarms);
  for (std::size_t i = 0; i < std::min(shown_doubtful, count); ++i) {
    const DoubtfulLabel& one = check.doubtful[i];
    text +=
        fmt::format("  text {}: '{}', the models answer '{}'\n    {}\n", one.number + 1, source.output_word(one.label),
                    source.output_word(one.instead), shortened(doubtful_text(one, source), doubtful_columns));
  }
  if (count > shown_doubtful) text += fmt::format("  … and {} more (in the JSON)\n", count - shown_doubtful);
  return text;
}

std::string course_text(const Prediction& p, const BagSource& source, const Terminal& terminal) {
  const Course& course = p.course;
  if (course.times.size() < 2)
    return "No word is certainly linked to an output. The predicted training does not leave its start.\n";
  constexpr int most = 60, least = 16, beside = 47;  // columns
  const int width = terminal.width == 0 ? most : std::clamp(terminal.width - beside, least, most);
  std::string text =
      fmt::format("The course by gradient flow from uniform attention, time 0 to {:.4g}:\n", course.times.back());
  if (p.course_class >= 0)
    text += fmt::format("('{}', the best predicted class, against the others)\n", source.output_word(p.course_class));
  const auto line = [&](const char* name, const std::vector<double>& curve, const std::string& comes) {
    return fmt::format("  {:<11}{} {:.3f} → {:.3f}   {}\n", name, sparkline(course.evenly(curve, width), width),
                       curve.front(), curve.back(), comes);
  };
  text += line("knowledge", course.knowledge, when("half-way", course.knowledge_half));
  text += line("attention", course.attention, when("half-way", course.attention_half));
  text += line("P(right)", course.correct, when("90 %", course.correct_90));
  if (course.accuracy.empty()) return text;
  text += line("accuracy", course.accuracy, when("90 %", course.accuracy_90));
  text += wrapped(
      fmt::format("Knowledge is the probability of the right answer if all attention is on its word. Attention is the "
                  "weight on that word. P(right) is the probability of the right answer. The three are means over {} "
                  "examples. Accuracy is the share of right answers on {} held-out examples.\n",
                  p.followed, p.unseen),
      terminal.width == 0 ? paragraph : terminal.width);
  return text;
}

}  // namespace

std::string prediction_text(const Prediction& p, const BagSource& source, const Terminal& terminal) {
  const Tone tone = p.verdict == Verdict::hard ? Tone::bad : p.verdict == Verdict::early ? Tone::good : Tone::strong;
  const bool classes = p.kind == BagSource::Outputs::classes;
  std::string text;
  if (classes)
    for (const std::string& first : {leak_text(p, source), trust_text(p, source)})
      if (!first.empty()) text += toned(wrapped(first, terminal.width), Tone::strong, terminal) + "\n\n";
  text += fmt::format("{}\n{}.\n\n", toned(verdict_text(p), tone, terminal), wrapped(p.because, terminal.width));
  const std::string copies =
      p.copies == 0 ? "" : fmt::format(" ({} {} not counted)", p.copies, p.copies == 1 ? "copy is" : "copies are");
  text += fmt::format("From {} examples{}{}, {:.4g} words each.\n", p.examples, copies,
                      p.sampled < p.examples ? fmt::format(" (pairs of words counted in {} of them)", p.sampled) : "",
                      p.input_length);
  text += repeated_text(p) + "\n";
  text += (classes ? classes_text(p, source, terminal) : outputs_text(p, source, terminal)) + "\n";
  if (!classes || predicts_attention(p)) text += course_text(p, source, terminal);
  return text + doubtful_labels_text(p, source);
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
