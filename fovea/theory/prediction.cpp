#include "fovea/theory/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "fovea/math/vector_math.h"
#include "fovea/theory/sample.h"
#include "fovea/theory/translation_flow.h"
#include "fovea/theory/unigram_course.h"

namespace fovea {

namespace {

// A signal of less is learned this many times slower than the most there could be.
constexpr double early_signal = 0.2, least_signal = 0.005;

// Standard deviations a link must lie above chance: of `tried` pairs that have nothing to do with each other, one does
// so in one data set of a thousand, by the bound e^(-z^2/2) on the tail of a normal distribution.
double sure(std::size_t tried) { return std::sqrt(2 * std::log(1000.0 * static_cast<double>(tried))); }

constexpr std::size_t words_a_class = 8;

std::size_t index_of(int i) { return static_cast<std::size_t>(i); }

std::vector<int> ranks_by_id(const std::vector<int>& ids, int of) {
  std::vector<int> ranks(index_of(of), -1);
  for (std::size_t rank = 0; rank < ids.size(); ++rank) ranks[index_of(ids[rank])] = static_cast<int>(rank);
  return ranks;
}

// The words of a class by how far their count in it lies above its share of all words.
std::vector<WordLink> words_of_class(const Cooccurrence& c, std::size_t classes, std::size_t label) {
  const std::size_t vocab = c.class_counts.size() / classes;
  double in_class = 0, all = 0;
  for (std::size_t i = 0; i < c.class_counts.size(); ++i) {
    all += static_cast<double>(c.class_counts[i]);
    if (i % classes == label) in_class += static_cast<double>(c.class_counts[i]);
  }
  const double share = all > 0 ? in_class / all : 0;
  std::vector<WordLink> links;
  const double least = sure(c.class_counts.size());
  if (share <= 0 || share >= 1) return links;
  for (std::size_t i = 0; i < vocab; ++i) {
    double n = 0;
    for (std::size_t k = 0; k < classes; ++k) n += static_cast<double>(c.class_counts[i * classes + k]);
    if (n == 0) continue;
    const double here = static_cast<double>(c.class_counts[i * classes + label]);
    const double surely = (here - n * share) / std::sqrt(n * share * (1 - share));
    if (surely >= least) links.push_back({static_cast<int>(i), surely});
  }
  const auto kept = std::min(words_a_class, links.size());
  std::partial_sort(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(kept), links.end(),
                    [](const WordLink& a, const WordLink& b) {
                      return a.surely != b.surely ? a.surely > b.surely : a.input < b.input;
                    });
  links.resize(kept);
  return links;
}

// The input whose count goes most with that of the output.
int partner_of(const Cooccurrence& c, std::size_t o, double& surely) {
  int best = -1;
  surely = sure(c.in() * c.out());
  const double root = std::sqrt(static_cast<double>(c.sampled));
  for (std::size_t i = 0; i < c.in(); ++i) {
    const double here = root * c.correlation(i, o);
    if (here > surely) {
      surely = here;
      best = static_cast<int>(i);
    }
  }
  return best;
}

void predict_words(const Cooccurrence& c, const PredictionOptions& options, Prediction& prediction) {
  std::vector<int> partners(c.out());
  for (std::size_t o = 0; o < c.out(); ++o) {
    double surely = 0;
    partners[o] = partner_of(c, o, surely);
    if (partners[o] >= 0) prediction.outputs[o].words.push_back({c.inputs[index_of(partners[o])], surely});
  }
  const TranslationField field = translation_field(c, options.flow_words);
  partners.resize(field.outputs());
  for (int& partner : partners)
    if (partner >= static_cast<int>(field.inputs())) partner = -1;
  prediction.course = translation_course(field, partners);
}

// Examples whose bags hold about options.flow_tokens words, in the order of their numbers.
LabelledBags sample_bags(const BagSource& source, Team& team, const Cooccurrence& c, int positive,
                         const PredictionOptions& options) {
  const double length = std::max(1.0, c.input_length);
  const auto wanted = static_cast<std::int64_t>(std::max(1.0, options.flow_tokens / length));
  const Sample sample(c.examples, wanted);
  const std::vector<int> ranks = ranks_by_id(c.inputs, source.inputs());
  struct Taken {
    std::int64_t number;
    std::vector<int> words;
    int label;
  };
  std::vector<Taken> taken;
  std::mutex lock;
  source.each(team, [&](int, const BagPair& pair) {
    if (!sample.takes(pair.number)) return;
    Taken one{pair.number, {}, pair.output.front() == positive ? 1 : 0};
    for (const int word : pair.input)
      if (ranks[index_of(word)] >= 0) one.words.push_back(ranks[index_of(word)]);
    if (one.words.empty()) return;
    const std::lock_guard<std::mutex> hold(lock);
    taken.push_back(std::move(one));
  });
  std::sort(taken.begin(), taken.end(), [](const Taken& a, const Taken& b) { return a.number < b.number; });
  LabelledBags bags(static_cast<int>(c.in()));
  for (const Taken& one : taken) bags.add(one.words, one.label);
  return bags;
}

void predict_class(const BagSource& source, Team& team, const Cooccurrence& c, const Signal& signal,
                   const PredictionOptions& options, Prediction& prediction) {
  const auto classes = index_of(source.outputs());
  for (std::size_t o = 0; o < c.out(); ++o)
    prediction.outputs[o].words = words_of_class(c, classes, index_of(c.outputs[o]));
  prediction.attention_logits.assign(index_of(source.inputs()), 0.0);
  if (c.out() < 2) return;
  // Two classes: class 1 against class 0. More: the class that is told best against the rest.
  std::size_t label = c.outputs[0] == 1 ? 0 : 1;
  if (c.out() > 2) {
    for (std::size_t o = 0; o < c.out(); ++o)
      if (signal.by_output[o].decodable > signal.by_output[label].decodable) label = o;
    prediction.course_class = c.outputs[label];
  }
  // The slope of the class on the word's count, nearer to 0 the less sure its sign is.
  std::vector<double> speaks(c.in(), 0.0);
  const double least = sure(c.in()) * sure(c.in());
  for (std::size_t i = 0; i < c.in(); ++i) {
    const double r = c.correlation(i, label);
    const double surely = r * r * static_cast<double>(c.sampled);
    if (surely > least) speaks[i] = c.cross(i, label) / c.input_variance(i) * (1 - least / surely);
  }
  const LabelledBags bags = sample_bags(source, team, c, c.outputs[label], options);
  if (bags.size() == 0) return;
  const UnigramCourse course = unigram_course(bags, speaks);
  prediction.course = course.course;
  for (std::size_t i = 0; i < c.in(); ++i) prediction.attention_logits[index_of(c.inputs[i])] = course.end[c.in() + i];
}

void judge(Prediction& prediction, const Cooccurrence& c) {
  const double slower = prediction.slowness();
  const std::string told =
      fmt::format("the bag of inputs tells {:.1f} % of what the outputs could tell it (± {:.2g} %)",
                  100 * std::max(0.0, prediction.signal), 100 * prediction.error);
  const bool chance = prediction.signal < 2 * prediction.error;
  if (chance && (2 * prediction.error >= early_signal || c.left_out > 0)) {
    prediction.verdict = Verdict::unsure;
    prediction.because = told + ", which chance alone may do in so few examples";
    if (c.left_out > 0)
      prediction.because +=
          fmt::format(", of which only the {} most frequent of {} words are counted", c.in(), c.in() + c.left_out);
  } else if (prediction.signal < std::max(least_signal, 2 * prediction.error)) {
    prediction.verdict = Verdict::hard;
    prediction.because =
        told + ", no more than chance: until attention has moved by luck, no word goes with any output";
    if (!chance)
      prediction.because = told + fmt::format(": knowledge starts {:.0f} times slower than it could", slower);
  } else if (prediction.signal < early_signal) {
    prediction.verdict = Verdict::slow;
    prediction.because = told + fmt::format(": knowledge starts {:.1f} times slower than it could", slower);
  } else {
    prediction.verdict = Verdict::early;
    prediction.because = told + ": which word goes with which output can be learned before attention moves";
  }
  const bool learnable = prediction.verdict == Verdict::early || prediction.verdict == Verdict::slow;
  const auto unlinked = [](const OutputPrediction& output) { return output.words.empty(); };
  if (learnable && std::all_of(prediction.outputs.begin(), prediction.outputs.end(), unlinked))
    prediction.because += ". Which words tell it is not sure yet of any: more examples would show";
}

}  // namespace

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
      return "not to be told: too few examples";
  }
  return {};
}

double Prediction::slowness() const { return signal > 0 ? 1 / signal : Course::never; }

Prediction predict(const BagSource& source, Team& team, const PredictionOptions& options,
                   const BagSource::Progress& progress) {
  const Cooccurrence c = measure_cooccurrence(source, team, options.counts, progress);
  const Signal signal = measure_signal(c);
  Prediction prediction;
  prediction.kind = source.outputs_are();
  prediction.examples = c.examples;
  prediction.sampled = c.sampled;
  prediction.input_length = c.input_length;
  prediction.signal = signal.overall;
  prediction.error = signal.error;
  for (std::size_t o = 0; o < c.out(); ++o)
    prediction.outputs.push_back(
        {c.outputs[o], c.output_mean[o], signal.by_output[o].decodable, signal.by_output[o].error, {}});
  if (prediction.kind == BagSource::Outputs::classes) predict_class(source, team, c, signal, options, prediction);
  else predict_words(c, options, prediction);
  judge(prediction, c);
  return prediction;
}

std::vector<std::vector<double>> predicted_attention(const Prediction& prediction, std::span<const int> input,
                                                     std::span<const int> output) {
  std::vector<std::vector<double>> rows;
  if (prediction.kind == BagSource::Outputs::classes) {
    std::vector<double> row;
    for (const int word : input) row.push_back(word < 0 ? 0 : prediction.attention_logits[index_of(word)]);
    softmax(std::span<const double>(row), std::span<double>(row));
    rows.push_back(std::move(row));
    return rows;
  }
  for (const int word : output) {
    const auto found = std::find_if(prediction.outputs.begin(), prediction.outputs.end(),
                                    [word](const OutputPrediction& one) { return one.output == word; });
    const int linked = found == prediction.outputs.end() || found->words.empty() ? -1 : found->words.front().input;
    const auto there = linked < 0 ? 0 : std::count(input.begin(), input.end(), linked);
    std::vector<double> row;
    for (const int i : input)
      row.push_back(there == 0    ? 1 / static_cast<double>(input.size())
                    : i == linked ? 1 / static_cast<double>(there)
                                  : 0);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace fovea
