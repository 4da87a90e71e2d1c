// The words of a prediction, declared in prediction.h: names of verdicts and evidence, and whether attention can be
// trusted (room theory/prediction). view/terminal/prediction, the page and the Python package print them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fovea/theory/prediction/candidates.h"
#include "fovea/theory/prediction/prediction.h"

namespace fovea {

const char* evidence_name(EvidenceLevel evidence) {
  switch (evidence) {
    case EvidenceLevel::weak:
      return "weak";
    case EvidenceLevel::possible:
      return "possible";
    case EvidenceLevel::probable:
      return "probable";
    case EvidenceLevel::strong:
      return "strong";
  }
  return "";
}

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::early:
      return "early";
    case Verdict::slow:
      return "slow";
    case Verdict::hard:
      return "hard";
    case Verdict::unsure:
      return "unsure";
  }
  return "";
}

std::string verdict_text(const Prediction& p) {
  switch (p.verdict) {
    case Verdict::early:
      return "learnable early";
    case Verdict::slow:
      return "slow";
    case Verdict::hard:
      return "hard: word counts give nothing to learn from while attention is uniform";
    case Verdict::unsure:
      switch (p.unsure) {
        case UnsureReason::few:
        case UnsureReason::uncounted:
          return "uncertain: too few examples";
        case UnsureReason::differs:
          return "uncertain: parts of the examples differ";
      }
  }
  return {};
}

namespace {

std::string unsure_text(const Prediction& p) {
  switch (p.unsure) {
    case UnsureReason::few:
      return fmt::format("it is not predicted, because {} examples are too few", p.examples);
    case UnsureReason::uncounted:
      return fmt::format(
          "it is not predicted. {} examples allow to count the {} most frequent of {} words together, and these do not "
          "indicate the class beyond chance",
          p.examples, p.words - p.uncounted_words, p.words);
    case UnsureReason::differs:
      return fmt::format("its prediction differs between parts of the {} examples", p.examples);
  }
  return {};
}

// "'a', 'b' and 3 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t named = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(named, names.size()); ++i)
    text += (i == 0 ? "'" : i + 1 == names.size() ? " and '" : ", '") + names[i] + "'";
  return names.size() > named ? fmt::format("{} and {} more", text, names.size() - named) : text;
}

}  // namespace

std::string trust_text(const Prediction& p, const BagSource& source) {
  if (p.kind != BagSource::Outputs::classes) return {};
  if (p.verdict == Verdict::unsure) return fmt::format("Do not trust attention here: {}.", unsure_text(p));
  if (p.verdict == Verdict::hard) return "Do not trust attention here: no single words indicate the class.";
  std::vector<std::string> attended, passed;
  for (const OutputPrediction& output : p.outputs)
    for (const Candidate& word : output.candidates) {
      if (word.evidence < EvidenceLevel::probable || std::isnan(word.attended)) continue;
      (word.attended > more_than_even ? attended : passed).push_back(source.input_word(word.input));
    }
  if (attended.empty())
    return "Do not trust attention here: attention is not predicted to move to words that indicate the class.";
  return fmt::format("Attention is predicted to move to {}{}. Measure it after training.", some_of(attended),
                     passed.empty() ? "" : fmt::format(", and not to {}", some_of(passed)));
}

namespace {

// Labels may be wrong, so a word of one class may have a few examples of others.
bool is_of_one_class(const Candidate& word) { return 20 * word.elsewhere <= word.here + word.elsewhere; }

// Which share of the examples of a class has the word.
double share_of_class(const Prediction& p, const OutputPrediction& output, const Candidate& word) {
  return static_cast<double>(word.here * p.counted_in) / (output.mean * static_cast<double>(p.examples));
}

}  // namespace

bool may_give_label(const Prediction& p, const OutputPrediction& output, const Candidate& word) {
  return is_of_one_class(word) &&
         (word.evidence == EvidenceLevel::strong ||
          (word.evidence == EvidenceLevel::probable && share_of_class(p, output, word) >= 0.5));
}

bool gives_label(const Prediction& p, const OutputPrediction& output, const Candidate& word) {
  constexpr double nearly_all = 0.9;  // of the examples of a class
  return p.given && is_of_one_class(word) && word.evidence != EvidenceLevel::weak &&
         share_of_class(p, output, word) >= nearly_all;
}

std::string leak_text(const Prediction& p, const BagSource& source) {
  constexpr std::size_t named = 8;
  std::vector<std::string> words;
  const Candidate* first = nullptr;
  for (const OutputPrediction& output : p.outputs)
    for (const Candidate& word : output.candidates)
      if (gives_label(p, output, word)) {
        if (!first) first = &word;
        words.push_back("'" + source.input_word(word.input) + "'");
      }
  if (words.empty()) return {};
  if (words.size() == 1) {
    const std::string of_how_many =
        first->elsewhere == 0 || p.counted_in > 1  // a sample was counted
            ? ""
            : fmt::format(" of {} of its {} texts", first->here, first->here + first->elsewhere);
    return fmt::format("{} alone gives the label{}. Remove it and check again.", words.front(), of_how_many);
  }
  const std::size_t more = words.size() - std::min(named, words.size());
  words.resize(words.size() - more);
  if (more > 0) words.push_back(fmt::format("{} more", more));
  return fmt::format("Each of {} alone gives a label. Remove them and check again.", fmt::join(words, ", "));
}

std::string doubtful_text(const DoubtfulLabel& label, const BagSource& source) {
  std::string text;
  for (const int word : label.words) text += (text.empty() ? "" : " ") + source.input_word(word);
  return text;
}

}  // namespace fovea
