// The words of a prediction, declared in prediction.h: names of verdicts and evidence, and whether attention can be
// trusted (room theory/prediction). view/terminal/prediction, the page and the Python package print them.
#include <fmt/format.h>

#include <cmath>

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

std::string verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::early:
      return "learnable early";
    case Verdict::slow:
      return "slow";
    case Verdict::hard:
      return "hard: nothing to learn from while attention is uniform";
    case Verdict::unsure:
      return "uncertain: too few examples";
  }
  return {};
}

std::string trust_text(const Prediction& p) {
  if (p.kind != BagSource::Outputs::classes) return {};
  if (p.verdict == Verdict::unsure)
    return fmt::format("Do not trust attention here: {} examples are too few to predict attention.", p.examples);
  if (p.verdict == Verdict::hard) return "Do not trust attention here: no single words indicate the class.";
  int named = 0, attended = 0;
  for (const OutputPrediction& output : p.outputs)
    for (const Candidate& word : output.candidates) {
      if (word.evidence < EvidenceLevel::probable || std::isnan(word.attended)) continue;
      ++named;
      attended += word.attended > more_than_even;
    }
  if (attended == 0)
    return "Do not trust attention here: attention is not predicted to move to words that indicate the class.";
  return fmt::format(
      "Attention is predicted to move to {} of {} words that indicate the class. Measure it after training.", attended,
      named);
}

std::string doubtful_text(const DoubtfulLabel& label, const BagSource& source) {
  std::string text;
  for (const int word : label.words) text += (text.empty() ? "" : " ") + source.input_word(word);
  return text;
}

}  // namespace fovea
