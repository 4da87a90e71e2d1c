#include "fovea/theory/prediction/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "fovea/data/distinct_bags.h"
#include "fovea/data/kept_bags.h"
#include "fovea/theory/prediction/candidates.h"
#include "fovea/theory/translation_flow.h"
#include "fovea/theory/unigram_course.h"

namespace fovea {

namespace {

// Signals of less are called slow, and hard.
constexpr double early_signal = 0.2, least_signal = 0.005;

constexpr std::size_t words_a_class = 8;
constexpr int repeats = 10, parts = 5;          // of the verdict, each on all parts of the examples but one
constexpr int agreeing = 9;                     // repeats that must come out alike
constexpr std::int64_t most_repeated = 10'000;  // examples
constexpr double hardly_apart = 0.9;  // correlation of two words' counts, from which attention may go to either

std::size_t index_of(int i) { return static_cast<std::size_t>(i); }

std::vector<int> ranks_by_id(const std::vector<int>& ids, int of) {
  std::vector<int> ranks(index_of(of), -1);
  for (std::size_t rank = 0; rank < ids.size(); ++rank) ranks[index_of(ids[rank])] = static_cast<int>(rank);
  return ranks;
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

// Of every four examples one is kept from the flow, for its accuracy; of the others it is followed on those whose bags
// hold about options.flow_tokens words. Both in the order of the examples' numbers.
struct FlowBags {
  LabelledBags followed, unseen;
};

FlowBags sample_bags(const BagSource& source, Team& team, const Cooccurrence& c, int positive,
                     const PredictionOptions& options) {
  const double length = std::max(1.0, c.input_length);
  const double wanted = std::max(options.flow_tokens / length, static_cast<double>(options.flow_bags));
  const Sample sample(c.examples, static_cast<std::int64_t>(std::max(2.0, wanted * 4 / 3)));
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
  const auto words = static_cast<int>(c.in());
  FlowBags bags{LabelledBags(words), LabelledBags(words)};
  for (const Taken& one : taken) {
    RandomStream draws(0, "unseen", 0, static_cast<std::uint64_t>(one.number));
    (draws.integer(4) == 0 ? bags.unseen : bags.followed).add(one.words, one.label);
  }
  return bags;
}

// Of two classes, of which bags of label 1 are of the class `positive`.
std::vector<double> loudness(const LabelledBags& bags, const FlowState& end, std::size_t positive) {
  double said[2] = {0, 0}, count[2] = {0, 0};
  for (std::size_t bag = 0; bag < bags.size(); ++bag) {
    const int label = bags.label(bag);
    const double by_words = unigram_score(bags, bag, end) - end.back();
    said[label] += label == 1 ? by_words : -by_words;
    ++count[label];
  }
  std::vector<double> loud(2);
  for (const std::size_t label : {std::size_t{0}, std::size_t{1}})
    loud[label == 1 ? positive : 1 - positive] = said[label] / std::max(1.0, count[label]);
  return loud;
}

// Pairs of what is told of an output.
void find_together(const Cooccurrence& c, const std::vector<int>& ranks, OutputPrediction& output) {
  std::vector<int> told;
  told.reserve(output.words.size());
  for (const WordLink& word : output.words) told.push_back(word.input);
  if (told.empty())
    for (const Candidate& word : output.candidates)
      if (word.evidence != EvidenceLevel::weak) told.push_back(word.input);
  for (std::size_t a = 0; a < told.size(); ++a)
    for (std::size_t b = a + 1; b < told.size(); ++b) {
      const int i = ranks[index_of(told[a])], j = ranks[index_of(told[b])];
      if (i < 0 || j < 0) continue;
      const double product = c.input_variance(index_of(i)) * c.input_variance(index_of(j));
      const double together = c.among_inputs[index_of(i) * c.in() + index_of(j)];
      if (together > hardly_apart * std::sqrt(product)) output.together.emplace_back(told[a], told[b]);
    }
}

void predict_class(const BagSource& source, Team& team, const Cooccurrence& c, const Signal& signal,
                   const PredictionOptions& options, Prediction& prediction) {
  const auto classes = index_of(source.outputs());
  const Sample counted(c.examples, options.candidate_examples);
  prediction.counted_in = counted.stride();
  const Presence presence = find_candidates(source, team, c, counted, prediction);
  prediction.attention_logits.assign(index_of(source.inputs()), 0.0);
  const std::vector<bool> none(index_of(source.inputs()), false);
  std::vector<bool> unattended = none;  // words that have no more than their even share at the flow's end
  std::vector<double> attended(unattended.size(), std::numeric_limits<double>::quiet_NaN());
  const std::vector<int> ranks = ranks_by_id(c.inputs, source.inputs());
  const auto report = [&](std::size_t o) {
    OutputPrediction& output = prediction.outputs[o];
    const bool in_flow = c.out() == 2 || c.outputs[o] == prediction.course_class;
    output.words = words_of_class(c, classes, index_of(c.outputs[o]), presence, static_cast<double>(counted.stride()),
                                  in_flow ? unattended : none);
    const auto most = index_of(options.most_words);
    if (output.words.size() > most) output.words.resize(most);
    if (output.candidates.size() > most) output.candidates.resize(most);
    if (in_flow)
      for (Candidate& one : output.candidates) one.attended = attended[index_of(one.input)];
    find_together(c, ranks, output);
  };
  const auto report_all = [&] {
    for (std::size_t o = 0; o < c.out(); ++o) report(o);
  };
  if (c.out() < 2) return report_all();
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
  // Where none is sure: the candidates, nearer to 0 the less likely.
  if (std::all_of(speaks.begin(), speaks.end(), [](double one) { return one == 0; })) {
    for (std::size_t o = 0; o < c.out(); ++o) {
      const std::span<const Candidate> candidates = prediction.outputs[o].candidates;
      for (const Candidate& word : candidates.first(std::min(words_a_class, candidates.size()))) {
        const int rank = ranks[index_of(word.input)];
        if (rank < 0 || word.evidence == EvidenceLevel::weak || (o != label && c.out() > 2)) continue;
        const auto i = index_of(rank);
        if (c.input_variance(i) > 0) speaks[i] = c.cross(i, label) / c.input_variance(i) * (2 * word.likely - 1);
      }
    }
  }
  const FlowBags bags = sample_bags(source, team, c, c.outputs[label], options);
  if (bags.followed.size() == 0) return report_all();
  const UnigramCourse course = unigram_course(bags.followed, speaks, bags.unseen,
                                              random_scores(c.in(), options.start_spread, options.start_seed));
  prediction.course = course.course;
  prediction.followed = bags.followed.size();
  prediction.unseen = bags.unseen.size();
  if (c.out() == 2) prediction.said_by_words = loudness(bags.followed, course.end, index_of(c.outputs[label]));
  for (std::size_t i = 0; i < c.in(); ++i) prediction.attention_logits[index_of(c.inputs[i])] = course.end[c.in() + i];
  if (prediction.course.times.size() > 1) {
    unattended.assign(unattended.size(), true);
    for (std::size_t i = 0; i < c.in(); ++i) {
      attended[index_of(c.inputs[i])] = course.attended[i];
      unattended[index_of(c.inputs[i])] = course.attended[i] <= more_than_even;
    }
  }
  report_all();
}

std::string signal_text(const Prediction& prediction) {
  const double percent = 100 * std::max(0.0, prediction.signal), error = 100 * prediction.error;
  if (prediction.kind == BagSource::Outputs::classes)
    return fmt::format(
        "beyond the length of the text, the counts of words explain {:.1f} % of the variance of the labels (± {:.2g} "
        "%)",
        percent, error);
  return fmt::format("the bag of inputs explains {:.1f} % of the largest possible variance of the outputs (± {:.2g} %)",
                     percent, error);
}

// Of a prediction whose signal was measured: its verdict, and why.
void judge(Prediction& prediction, const Cooccurrence& c) {
  const double slower = 1 / prediction.first_gradient;
  const std::string told = signal_text(prediction);
  const bool chance = prediction.signal < 2 * prediction.error;
  if (chance && (2 * prediction.error >= early_signal || c.left_out > 0)) {
    prediction.verdict = Verdict::unsure;
    prediction.unsure = c.left_out > 0 ? UnsureReason::uncounted : UnsureReason::few;
    prediction.because = told + ", which can be chance in so few examples";
    if (c.left_out > 0)
      prediction.because +=
          fmt::format("; only the {} most frequent of {} words are counted together, one for every {} examples", c.in(),
                      c.in() + c.left_out, examples_a_word);
  } else if (prediction.signal < std::max(least_signal, 2 * prediction.error)) {
    prediction.verdict = Verdict::hard;
    prediction.because = told + ", no more than chance: co-occurrence links no word to any output";
    if (!chance)
      prediction.because = told + fmt::format(": knowledge starts at least {:.0f} times slower than it could", slower);
  } else if (prediction.signal < early_signal) {
    prediction.verdict = Verdict::slow;
    prediction.because = told + fmt::format(": knowledge starts at least {:.1f} times slower than it could", slower);
  } else {
    prediction.verdict = Verdict::early;
    prediction.because = told + ": which word goes with which output can be learned under uniform attention";
  }
}

// The strongest evidence for a word of any class.
EvidenceLevel strongest(const Prediction& p) {
  EvidenceLevel most = EvidenceLevel::weak;
  for (const OutputPrediction& output : p.outputs)
    for (const Candidate& one : output.candidates) most = std::max(most, one.evidence);
  return most;
}

// What chance alone may do to all words together, a single word may still rule out.
void weigh_words(Prediction& prediction) {
  const EvidenceLevel most = strongest(prediction);
  if (prediction.verdict != Verdict::hard || most == EvidenceLevel::weak) return;
  const bool strong = most == EvidenceLevel::strong;
  prediction.verdict = strong ? Verdict::slow : Verdict::unsure;
  prediction.because =
      signal_text(prediction) + (strong ? ", but single words indicate the class"
                                        : ", but single words may indicate the class: more examples would show");
}

Prediction measured(const BagSource& source, const Cooccurrence& c, const Signal& signal) {
  Prediction prediction;
  prediction.kind = source.outputs_are();
  prediction.examples = c.examples;
  prediction.sampled = c.sampled;
  prediction.input_length = c.input_length;
  prediction.signal = signal.overall;
  prediction.first_gradient = signal.first_gradient;
  prediction.error = signal.error;
  prediction.uncounted_words = c.left_out;
  prediction.words = c.in() + c.left_out;
  for (std::size_t o = 0; o < c.out(); ++o)
    prediction.outputs.push_back(
        {c.outputs[o], c.output_mean[o], signal.by_output[o].decodable, signal.by_output[o].error, {}, {}, {}});
  return prediction;
}

// The verdict on parts of the examples. It is unsure where they disagree.
void repeat_verdict(const KeptBags& bags, Team& team, const PredictionOptions& options, Prediction& prediction,
                    const BagSource::Progress& progress) {
  if (bags.size() / 2 < std::size_t{parts}) return;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const std::vector<int> folds = bags.folds(parts, static_cast<std::uint64_t>(repeat));
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < bags.size(); ++i)
      if (folds[i] != 0) taken.push_back(i);
    const PartOfBags part(bags, taken);
    const Cooccurrence c = measure_cooccurrence(part, team, options.counts, progress);
    Prediction of_part = measured(part, c, measure_signal(c));
    find_candidates(part, team, c, Sample(c.examples, options.candidate_examples), of_part);
    judge(of_part, c);
    weigh_words(of_part);
    ++prediction.repeated[static_cast<std::size_t>(of_part.verdict)];
  }
  if (prediction.repeated[static_cast<std::size_t>(prediction.verdict)] >= agreeing) return;
  if (prediction.repeated[static_cast<std::size_t>(Verdict::unsure)] >= agreeing) {
    prediction.because = signal_text(prediction) + ". Four fifths of the examples are too few for a verdict";
    prediction.verdict = Verdict::unsure;
    prediction.unsure = UnsureReason::few;
    return;
  }
  prediction.because = signal_text(prediction) +
                       fmt::format(". The verdict differs between {} draws of four fifths of the examples", repeats);
  prediction.verdict = Verdict::unsure;
  prediction.unsure = UnsureReason::differs;
}

}  // namespace

bool predicts_attention(const Prediction& p) { return p.verdict != Verdict::unsure && p.course.times.size() > 1; }

Prediction predict(const BagSource& source, Team& team, const PredictionOptions& options,
                   const BagSource::Progress& progress) {
  if (options.given) {
    const DistinctBags distinct(source, team, progress);
    PredictionOptions of_these = options;
    of_these.given = false;
    Prediction prediction = predict(distinct, team, of_these, progress);
    prediction.given = true;
    prediction.copies = distinct.copies();
    if (prediction.kind == BagSource::Outputs::classes && distinct.size() <= most_repeated) {
      const KeptBags kept(distinct, team);
      weigh_words(prediction);
      repeat_verdict(kept, team, of_these, prediction, progress);
      prediction.labels = check_labels(kept, team);
      for (DoubtfulLabel& one : prediction.labels.doubtful) one.number = distinct.source_number(one.number);
    }
    return prediction;
  }
  const Cooccurrence c = measure_cooccurrence(source, team, options.counts, progress);
  const Signal signal = measure_signal(c);
  Prediction prediction = measured(source, c, signal);
  prediction.most_words = options.most_words;
  if (prediction.kind == BagSource::Outputs::classes) predict_class(source, team, c, signal, options, prediction);
  else predict_words(c, options, prediction);
  judge(prediction, c);
  const bool learnable = prediction.verdict == Verdict::early || prediction.verdict == Verdict::slow;
  const auto unlinked = [](const OutputPrediction& output) { return output.words.empty(); };
  if (learnable && strongest(prediction) != EvidenceLevel::strong &&
      std::all_of(prediction.outputs.begin(), prediction.outputs.end(), unlinked))
    prediction.because += ". Which words indicate the output is uncertain: more examples would show";
  return prediction;
}

}  // namespace fovea
