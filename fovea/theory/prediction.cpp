#include "fovea/theory/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "fovea/data/distinct_bags.h"
#include "fovea/data/kept_bags.h"
#include "fovea/theory/sample.h"
#include "fovea/theory/translation_flow.h"
#include "fovea/theory/unigram_course.h"

namespace fovea {

namespace {

// Signals of less are called slow, and hard.
constexpr double early_signal = 0.2, least_signal = 0.005;

// Standard deviations a link must lie above chance: of `tried` pairs that have nothing to do with each other, one does
// so in one data set of a thousand, by the bound e^(-z^2/2) on the tail of a normal distribution.
double sure(std::size_t tried) { return std::sqrt(2 * std::log(1000.0 * static_cast<double>(tried))); }

constexpr std::size_t words_a_class = 8;
constexpr double possible = 0.6, probable = 0.8;  // a candidate's chance; the flow counts those that are possible
constexpr double more_than_even = 1.001;          // of an even share of attention: what rounding does not make
constexpr int repeats = 10, parts = 5;            // of the verdict, each on all parts of the examples but one
constexpr int agreeing = 9;                       // repeats that must come out alike
constexpr std::int64_t most_repeated = 10'000;    // examples
constexpr double hardly_apart = 0.9;  // correlation of two words' counts, from which attention may go to either

std::size_t index_of(int i) { return static_cast<std::size_t>(i); }

std::vector<int> ranks_by_id(const std::vector<int>& ids, int of) {
  std::vector<int> ranks(index_of(of), -1);
  for (std::size_t rank = 0; rank < ids.size(); ++rank) ranks[index_of(ids[rank])] = static_cast<int>(rank);
  return ranks;
}

// Of each word and class, (input ids, classes) for the ids that Cooccurrence::class_counts has: how many examples of
// the class hold the word, and the sum over them of the square of how often.
struct Presence {
  std::vector<std::int64_t> examples, squares;
};

// The words of a class by how far their count in it lies above its share of all words, as for words that are drawn one
// by one, or where that is less, for examples that are: a word that one of them has again and again tells of that one.
// `times`: how many examples each that was counted in `presence` stands for.
std::vector<WordLink> words_of_class(const Cooccurrence& c, std::size_t classes, std::size_t label,
                                     const Presence& presence, double times, const std::vector<bool>& unattended) {
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
    double n = 0, by_example = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      n += static_cast<double>(c.class_counts[i * classes + k]);
      const double off = k == label ? 1 - share : share;
      by_example += off * off * times * static_cast<double>(presence.squares[i * classes + k]);
    }
    if (n == 0) continue;
    const double here = static_cast<double>(c.class_counts[i * classes + label]);
    const double surely = (here - n * share) / std::sqrt(std::max(n * share * (1 - share), by_example));
    if (surely >= least && !unattended[i]) links.push_back({static_cast<int>(i), surely});
  }
  std::sort(links.begin(), links.end(), [](const WordLink& a, const WordLink& b) {
    return a.surely != b.surely ? a.surely > b.surely : a.input < b.input;
  });
  return links;
}

Presence presence_of(const BagSource& source, Team& team, const Cooccurrence& c, const Sample& sample) {
  const std::size_t classes = index_of(source.outputs()), vocab = c.class_counts.size() / classes;
  Presence found{std::vector<std::int64_t>(c.class_counts.size()), std::vector<std::int64_t>(c.class_counts.size())};
  std::mutex lock;
  source.each(team, [&](int, const BagPair& pair) {
    if (!sample.takes(pair.number)) return;
    std::vector<int> words(pair.input.begin(), pair.input.end());
    std::sort(words.begin(), words.end());
    const std::lock_guard<std::mutex> hold(lock);
    for (auto word = words.begin(); word != words.end();) {
      const auto next = std::upper_bound(word, words.end(), *word);
      const std::size_t at = index_of(*word) * classes + index_of(pair.output.front());
      if (index_of(*word) < vocab) {
        ++found.examples[at];
        found.squares[at] += (next - word) * (next - word);
      }
      word = next;
    }
  });
  return found;
}

// z of a word in n examples is taken for a normal number of variance 1 around the effect, and effects for normal ones
// of variance n tau^2; tau^2 is what all z together have more than chance, which of a word in one example is nothing.
void rank_candidates(std::span<const std::int64_t> present, std::size_t classes, std::int64_t examples,
                     std::vector<OutputPrediction>& outputs) {
  const std::size_t vocab = present.size() / classes;
  std::vector<double> of_word(vocab), of_class(classes), z(present.size());
  double all = 0, above_chance = 0, pairs = 0;
  for (std::size_t i = 0; i < present.size(); ++i) {
    const auto n = static_cast<double>(present[i]);
    of_word[i / classes] += n;
    of_class[i % classes] += n;
    all += n;
  }
  for (std::size_t i = 0; i < present.size(); ++i) {
    const double n = of_word[i / classes], share = all > 0 ? of_class[i % classes] / all : 0;
    if (n == 0 || share <= 0 || share >= 1) continue;
    z[i] = (static_cast<double>(present[i]) - n * share) / std::sqrt(n * share * (1 - share));
    above_chance += z[i] * z[i] - 1;
    pairs += n - 1;
  }
  const double spread = pairs > 0 ? std::max(0.0, above_chance) / pairs : 0;
  const double settled = sure(present.size());
  for (OutputPrediction& output : outputs) {
    for (std::size_t i = 0; i < vocab; ++i) {
      const double surely = z[i * classes + index_of(output.output)];
      if (surely <= 0) continue;
      const double effect = of_word[i] * spread;
      const double likely = std::erfc(-surely * std::sqrt(effect / (1 + effect)) / std::sqrt(2.0)) / 2;
      const double times = settled / surely;
      const std::int64_t here = present[i * classes + index_of(output.output)];
      const EvidenceLevel evidence = surely >= settled    ? EvidenceLevel::strong
                                     : likely >= probable ? EvidenceLevel::probable
                                     : likely >= possible ? EvidenceLevel::possible
                                                          : EvidenceLevel::weak;
      output.candidates.push_back({static_cast<int>(i), here, static_cast<std::int64_t>(of_word[i]) - here, surely,
                                   likely, static_cast<double>(examples) * times * times, evidence});
    }
    const auto before = [](const Candidate& a, const Candidate& b) {
      if (a.likely != b.likely) return a.likely > b.likely;
      return a.surely != b.surely ? a.surely > b.surely : a.input < b.input;
    };
    std::sort(output.candidates.begin(), output.candidates.end(), before);
  }
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
    Stream draws(0, "unseen", 0, static_cast<std::uint64_t>(one.number));
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

// All candidates of each class, in their order.
Presence find_candidates(const BagSource& source, Team& team, const Cooccurrence& c, const Sample& counted,
                         Prediction& prediction) {
  Presence presence = presence_of(source, team, c, counted);
  rank_candidates(presence.examples, index_of(source.outputs()), c.examples / counted.stride(), prediction.outputs);
  return presence;
}

void predict_class(const BagSource& source, Team& team, const Cooccurrence& c, const Signal& signal,
                   const PredictionOptions& options, Prediction& prediction) {
  const auto classes = index_of(source.outputs());
  const Sample counted(c.examples, options.candidate_examples);
  const Presence presence = find_candidates(source, team, c, counted, prediction);
  prediction.attention_logits.assign(index_of(source.inputs()), 0.0);
  const std::vector<bool> none(index_of(source.inputs()), false);
  std::vector<bool> unattended = none;  // words that have no more than their even share at the flow's end
  std::vector<double> attended(unattended.size(), std::numeric_limits<double>::quiet_NaN());
  const std::vector<int> ranks = ranks_by_id(c.inputs, source.inputs());
  const auto tell = [&](std::size_t o) {
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
  const auto tell_all = [&] {
    for (std::size_t o = 0; o < c.out(); ++o) tell(o);
  };
  if (c.out() < 2) return tell_all();
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
  if (bags.followed.size() == 0) return tell_all();
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
  tell_all();
}

std::string signal_text(const Prediction& prediction) {
  return fmt::format("the bag of inputs tells {:.1f} % of what it could tell about the outputs (± {:.2g} %)",
                     100 * std::max(0.0, prediction.signal), 100 * prediction.error);
}

// Of a prediction whose signal was measured: its verdict, and why.
void judge(Prediction& prediction, const Cooccurrence& c) {
  const double slower = 1 / prediction.first_gradient;
  const std::string told = signal_text(prediction);
  const bool chance = prediction.signal < 2 * prediction.error;
  if (chance && (2 * prediction.error >= early_signal || c.left_out > 0)) {
    prediction.verdict = Verdict::unsure;
    prediction.because = told + ", which chance alone may do in so few examples";
    if (c.left_out > 0)
      prediction.because +=
          fmt::format("; only the {} most frequent of {} words are counted, the others being too rare", c.in(),
                      c.in() + c.left_out);
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
      signal_text(prediction) + (strong ? ", but single words indicate the class, in few of the examples"
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
  for (std::size_t o = 0; o < c.out(); ++o)
    prediction.outputs.push_back(
        {c.outputs[o], c.output_mean[o], signal.by_output[o].decodable, signal.by_output[o].error, {}, {}, {}});
  return prediction;
}

// The verdict on parts of the examples. It is unsure where they disagree.
void repeat_verdict(const KeptBags& bags, Team& team, const PredictionOptions& options, Prediction& prediction,
                    const BagSource::Progress& progress) {
  if (bags.size() < 2 * parts) return;
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
  prediction.because = signal_text(prediction) +
                       fmt::format(". The verdict differs between {} draws of four fifths of the examples", repeats);
  prediction.verdict = Verdict::unsure;
}

}  // namespace

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
      return "cannot tell: too few examples";
  }
  return {};
}

std::string trust_text(const Prediction& p) {
  if (p.kind != BagSource::Outputs::classes) return {};
  if (p.verdict == Verdict::unsure)
    return fmt::format("Do not trust attention here: {} examples are too few to predict where it goes.", p.examples);
  if (p.verdict == Verdict::hard)
    return "Do not trust attention here: single words were not found to indicate the class.";
  int named = 0, attended = 0;
  for (const OutputPrediction& output : p.outputs)
    for (const Candidate& word : output.candidates) {
      if (word.evidence == EvidenceLevel::weak || std::isnan(word.attended)) continue;
      ++named;
      attended += word.attended > more_than_even;
    }
  if (attended == 0)
    return "Do not trust attention here: it is not predicted to move to words that indicate the class.";
  return fmt::format(
      "Attention is predicted to move to {} of {} words that indicate the class. Measure it after training.", attended,
      named);
}

std::string doubtful_text(const DoubtfulLabel& label, const BagSource& source) {
  std::string text;
  for (const int word : label.words) text += (text.empty() ? "" : " ") + source.input_word(word);
  return text;
}

bool predicts_attention(const Prediction& p) { return p.verdict != Verdict::unsure && p.course.times.size() > 1; }

Prediction predict(const BagSource& source, Team& team, const PredictionOptions& options,
                   const BagSource::Progress& progress) {
  if (options.given) {
    const DistinctBags distinct(source, team, progress);
    PredictionOptions of_these = options;
    of_these.given = false;
    Prediction prediction = predict(distinct, team, of_these, progress);
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
    prediction.because += ". Which words tell it is not sure yet: more examples would show";
  return prediction;
}

}  // namespace fovea
