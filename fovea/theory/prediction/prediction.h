// Prediction: what attention will learn on given data, computed before training (docs/reference/prediction.md) (room
// theory/prediction). `fovea predict`, the page, the Python package, the probe `prediction` and lab/analysis call it.
// It reads a BagSource; it changes nothing.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fovea/theory/course.h"
#include "fovea/theory/prediction/label_check.h"
#include "fovea/theory/signal.h"

namespace fovea {

struct PredictionOptions {
  CooccurrenceOptions counts;
  // The examples are given, not drawn. Of examples with the same input and output only the first counts, and their
  // order changes nothing. For classes, the verdict is repeated on parts of the examples, and labels are checked.
  bool given = false;
  int flow_words = 96;                       // sequence tasks: inputs and outputs the flow is followed for
  int flow_tokens = 50'000;                  // classification: words of all bags the flow is followed on,
  int flow_bags = 1000;                      // but no fewer bags than this
  std::int64_t candidate_examples = 20'000;  // classification: examples that candidates are counted in
  int most_words = 8;                        // classification: words, and candidates, that are told of a class
  double start_spread = 0;  // classification: of the random scores of words that the flow starts from; 0: from none
  std::uint64_t start_seed = 0;  // which scores these are
};

enum class Verdict { early, slow, hard, unsure };
constexpr std::size_t verdicts = 4;
const char* verdict_name(Verdict verdict);  // "early", …

// Why the verdict is unsure: so few examples may be chance; there are more words than the examples allow to count
// together; or parts of the examples have different verdicts.
enum class UnsureReason { few, uncounted, differs };

// A word attention will come to for an output, and how surely they go together: the number of standard deviations their
// co-occurrence lies above chance. Of a class that the flow tells, only a word that has more than its even share of the
// attention at the flow's end, in the mean over the bags that hold it: where predicted_attention() lies, too.
struct WordLink {
  int input = -1;  // id
  double surely = 0;
};

// How strong the evidence is that a word goes with a class: beyond chance among all words that were tried; or by its
// probability, from 0.8 and from 0.6 on.
enum class EvidenceLevel { weak, possible, probable, strong };
const char* evidence_name(EvidenceLevel evidence);

// A word that is in examples of a class more often than chance. `here` and `elsewhere` count the examples of the class,
// and of other classes, that contain it. `surely` is how many standard deviations `here` is above chance. `likely` is
// the probability that the word goes with the class in all such data. `settled_by` is the number of examples that would
// make the evidence strong; docs/reference/prediction.md has the formulas. `attended` is the attention that the flow
// predicts for the word, as a multiple of a uniform share; it is NaN if the flow does not follow the word.
struct Candidate {
  int input = -1;  // id
  std::int64_t here = 0, elsewhere = 0;
  double surely = 0, likely = 0.5, settled_by = 0;
  EvidenceLevel evidence = EvidenceLevel::weak;
  double attended = std::numeric_limits<double>::quiet_NaN();
};

struct OutputPrediction {
  int output = 0;   // id
  double mean = 0;  // how often it is in an example's output
  double decodable = 0, error = 0;
  std::vector<WordLink> words;                // most sure first: several for a class, one at most for a word
  std::vector<Candidate> candidates;          // of a class, the likeliest first
  std::vector<std::pair<int, int>> together;  // of its words and candidates, those that hardly stand apart
};

struct Prediction {
  BagSource::Outputs kind = BagSource::Outputs::words;
  std::int64_t examples = 0, sampled = 0;
  bool given = false;           // the examples are not drawn
  std::int64_t counted_in = 1;  // candidates of classes are counted in one example of so many
  std::int64_t copies = 0;      // examples that are not among these, being the same as one of them
  // Of given classes: how often each verdict came out on four fifths of the examples, drawn anew each time.
  std::array<int, verdicts> repeated{};
  LabelCheck labels;
  double input_length = 0;
  double signal = 0, error = 0;
  double first_gradient = 0;  // of the evidence, over the most it could be (theory/signal.h)
  Verdict verdict = Verdict::hard;
  UnsureReason unsure = UnsureReason::few;     // if the verdict is unsure
  std::size_t words = 0, uncounted_words = 0;  // different inputs; of them, those that the signal leaves out
  std::string because;                         // the verdict in a sentence, with its figures
  std::vector<OutputPrediction> outputs;       // by falling frequency
  Course course;
  int most_words = 8;     // as it was asked
  int course_class = -1;  // classification of more than two classes: the class the course tells from the rest
  std::size_t followed = 0, unseen = 0;  // classification: bags that the flow is followed on, and that test it

  // Two classes: how loudly words say each by the flow's end, by class: the mean over its bags of what they say for it
  // without the bias. A class that has no word of its own is said by the bias, and its words say little.
  std::vector<double> said_by_words;

  // For shading examples: attention's logit for each input id (classification), 0 where the flow did not know the word.
  std::vector<double> attention_logits;
};

std::string verdict_text(const Prediction& prediction);  // "learnable early", …

// Whether attention is to be trusted on these data, in a sentence; empty where outputs are no classes.
std::string trust_text(const Prediction& prediction, const BagSource& source);

// Whether a word of an output's candidates may give the label away: at most 5 % of its examples are of another class,
// and its evidence is strong, or it is probable and in half of the examples of the class.
bool may_give_label(const Prediction& prediction, const OutputPrediction& output, const Candidate& word);

// Whether a word of an output's candidates gives the label of given examples: it is in 90 % of those of the class, and
// at most 5 % of the examples with the word are of another class.
bool gives_label(const Prediction& prediction, const OutputPrediction& output, const Candidate& word);

// A warning of words that each give a label. Empty if there is none.
std::string leak_text(const Prediction& prediction, const BagSource& source);

// The words of a text with a doubtful label, with spaces between them.
std::string doubtful_text(const DoubtfulLabel& label, const BagSource& source);

// Whether the flow, and so attention, is predicted: of too few examples it follows what chance has put together.
bool predicts_attention(const Prediction& prediction);

Prediction predict(const BagSource& source, Team& team, const PredictionOptions& options = {},
                   const BagSource::Progress& progress = {});

// Where attention is predicted to lie on a text. Classification: one row, softmax of the words' logits. Words: a row
// for each output, all of the weight shared by the positions of the input word it is linked to, uniform where there is
// none. Input ids of -1 are words that are not known.
std::vector<std::vector<double>> predicted_attention(const Prediction& prediction, std::span<const int> input,
                                                     std::span<const int> output);

}  // namespace fovea
