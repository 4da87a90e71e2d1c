#include "fovea/theory/prediction/prediction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/random.h"
#include "fovea/theory/prediction/text_attention.h"
#include "tests/data/tasks/task_help.h"
#include "tests/theory/prediction/made_texts.h"

namespace fovea {
namespace {

Prediction predict_task(const std::string& name, const ValueTable& settings, std::int64_t examples = 4000,
                        int threads = 1) {
  const auto task = make_task(name, settings);
  const auto bags = task_bags(*task, examples);
  Team team(threads);
  return predict(*bags, team);
}

TEST(Prediction, PermutationsAreHardAndTheirSignalIsZero) {
  const Prediction p = predict_task("copy", table({{"vocab", whole(40)}, {"length", whole(40)}}));
  EXPECT_EQ(p.verdict, Verdict::hard);
  EXPECT_LE(std::abs(p.signal), p.error);
  EXPECT_LE(p.error, 1e-3);
  EXPECT_EQ(p.course.attention_half, Course::never);
  for (const OutputPrediction& output : p.outputs) EXPECT_TRUE(output.words.empty());
}

// The bag of 40 of V words tells (V - 40) / (V - 1).
TEST(Prediction, SignalOfTheCopyFamilyGrowsWithTheVocabulary) {
  double signal = -1;
  for (const int vocab : {40, 41, 42, 44, 48, 52, 60, 80}) {
    const auto task = make_task("copy", table({{"vocab", whole(vocab)}, {"length", whole(40)}}));
    Team team;
    const Signal s = measure_signal(measure_cooccurrence(*task_bags(*task, 4000), team));
    EXPECT_NEAR(s.overall, (vocab - 40.0) / (vocab - 1.0), 2 * s.error) << vocab;
    EXPECT_GT(s.overall, signal) << vocab;
    EXPECT_NEAR(s.first_gradient, s.overall, 2 * s.error) << vocab;
    signal = s.overall;
  }
}

// At first a larger vocabulary is faster, for there is more to tell; then it is slower, for each word is said less
// often.
TEST(Prediction, CourseOfTheCopyFamilyGetsFasterAsBagsBeginToDiffer) {
  double half = Course::never;
  for (const int vocab : {20, 21, 22, 24}) {
    const Prediction p = predict_task("copy", table({{"vocab", whole(vocab)}, {"length", whole(20)}}));
    EXPECT_EQ(p.verdict == Verdict::hard, vocab == 20) << vocab;
    if (vocab == 20) continue;
    EXPECT_LT(p.course.attention_half, half) << vocab;
    EXPECT_LT(p.course.knowledge_half, Course::never) << vocab;
    half = p.course.attention_half;
    for (const OutputPrediction& output : p.outputs) {
      ASSERT_EQ(output.words.size(), 1u);
      EXPECT_EQ(output.words.front().input, output.output);
    }
  }
}

TEST(Prediction, WordsDrawnAgainAndAgainTellAll) {
  const Prediction p =
      predict_task("copy", table({{"vocab", whole(20)}, {"length", whole(20)}, {"distinct", yes(false)}}));
  EXPECT_NEAR(p.signal, 1, 3 * p.error);
  EXPECT_EQ(p.verdict, Verdict::early);
}

TEST(Prediction, AttentionComesToTheKeywordAfterItIsKnown) {
  const Prediction p = predict_task("keyword", table({{"vocab", whole(50)}, {"length", whole(20)}}));
  EXPECT_EQ(p.verdict, Verdict::early);
  EXPECT_NEAR(p.signal, 1, 0.01);
  for (const OutputPrediction& output : p.outputs) {
    if (output.output == 1) {
      ASSERT_FALSE(output.words.empty());
      EXPECT_EQ(output.words.front().input, 49);
    }
  }
  EXPECT_LT(p.course.knowledge_half, Course::never);
  EXPECT_LT(p.course.knowledge_half, p.course.attention_half);
  EXPECT_LT(p.course.attention_half, Course::never);
  const std::vector<int> text{3, 49, 7, 7, -1};
  const auto rows = predicted_attention(p, text, {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_GT(rows[0][1], 0.8);
}

// What the flow tells of bags it has not seen is what a training is asked for: it knows the shortcut that distractors
// make in long texts, and it is as free of the vocabulary as trainings are.
TEST(Prediction, AccuracyOfUnseenBagsSeesShortcutsAndNotTheVocabulary) {
  const auto course = [](int vocab, int distractors) {
    return predict_task("keyword",
                        table({{"vocab", whole(vocab)}, {"length", whole(80)}, {"distractors", whole(distractors)}}))
        .course;
  };
  const Course plain = course(50, 0), leaning = course(50, 20), wide = course(200, 0);
  EXPECT_LT(leaning.accuracy_90, 0.6 * plain.accuracy_90);
  EXPECT_NEAR(wide.accuracy_90 / plain.accuracy_90, 1, 0.2);
  EXPECT_NEAR(wide.correct_90 / plain.correct_90, 1, 0.2) << "with a bias, of the probability too";
  ASSERT_EQ(plain.accuracy.size(), plain.times.size());
  EXPECT_NEAR(plain.accuracy.front(), 0.5, 0.1) << "nothing is known at the start";
  EXPECT_GT(plain.accuracy.back(), 0.95);
  EXPECT_TRUE(plain.auc.empty()) << "not read from scores of 0";
}

// From random scores what is learned must outgrow them before it ranks bags; the first slope alone would do from none.
TEST(Prediction, AucFromRandomScoresSeesHowSoonAShortcutRanksBags) {
  const auto course = [](int distractors, double spread, std::uint64_t seed) {
    const auto task =
        make_task("keyword", table({{"vocab", whole(50)}, {"length", whole(80)}, {"distractors", whole(distractors)}}));
    Team team;
    PredictionOptions options;
    options.start_spread = spread;
    options.start_seed = seed;
    return predict(*task_bags(*task, 4000), team, options).course;
  };
  const Course plain = course(0, 0.1, 1), leaning = course(20, 0.1, 1), other = course(20, 0.1, 2);
  EXPECT_LT(leaning.auc_95, 0.3 * plain.auc_95);
  EXPECT_GT(leaning.auc_95, 1) << "not at once";
  EXPECT_GT(leaning.accuracy_90, 2 * leaning.auc_95) << "to part the scores takes longer than to order them";
  ASSERT_EQ(plain.auc.size(), plain.times.size());
  EXPECT_NEAR(plain.auc.front(), 0.5, 0.1);
  EXPECT_NE(leaning.auc, other.auc);
}

TEST(Prediction, TextsAreReadByTheWordsOfTheExamples) {
  const auto keyword = make_task("keyword", table({{"vocab", whole(50)}, {"length", whole(20)}}));
  const auto bags = task_bags(*keyword, 4000);
  Team team;
  const Prediction p = predict(*bags, team);
  const TextAttention text =
      TextPredictor(p, *bags).of(bags->input_word(3) + " " + bags->input_word(49) + "  unheard-of", "is left out");
  EXPECT_EQ(text.input, (std::vector<std::string>{bags->input_word(3), bags->input_word(49), "unheard-of"}));
  EXPECT_TRUE(text.output.empty());
  EXPECT_EQ(text.weights, predicted_attention(p, std::vector<int>{3, 49, -1}, {}));

  const auto copy = make_task("copy", table({{"vocab", whole(24)}, {"length", whole(20)}}));
  const auto pairs = task_bags(*copy, 4000);
  const Prediction q = predict(*pairs, team);
  const std::string a = pairs->input_word(0), b = pairs->input_word(1);
  const TextAttention two = TextPredictor(q, *pairs).of(a + " " + b, pairs->output_word(1));
  ASSERT_EQ(two.weights.size(), 1u);
  EXPECT_EQ(two.weights, predicted_attention(q, std::vector<int>{0, 1}, std::vector<int>{1}));
  EXPECT_GT(two.weights[0][1], two.weights[0][0]);
}

// Outputs that have nothing to do with the inputs: what regression finds in them is noise, and is taken out.
class Unrelated final : public BagSource {
 public:
  Outputs outputs_are() const override { return Outputs::words; }
  int inputs() const override { return 50; }
  int outputs() const override { return 30; }
  std::string input_word(int id) const override { return std::to_string(id); }
  std::string output_word(int id) const override { return std::to_string(id); }
  std::int64_t size() const override { return 2000; }
  void each(Team&, const Visit& visit, const Progress&) const override {
    std::vector<int> input(10), output(10);
    for (std::int64_t n = 0; n < size(); ++n) {
      RandomStream stream(1, "unrelated", 0, static_cast<std::uint64_t>(n));
      // Longer inputs have longer outputs: a length is not a word.
      const std::size_t length = 1 + stream.integer(10);
      input.resize(length);
      output.resize(length);
      for (int& word : input) word = static_cast<int>(stream.integer(50));
      for (int& word : output) word = static_cast<int>(stream.integer(30));
      visit(0, {n, input, output});
    }
  }
};

TEST(Prediction, OfUnrelatedWordsIsZeroWithinItsError) {
  const Unrelated source;
  Team team;
  const Prediction p = predict(source, team);
  EXPECT_LE(std::abs(p.signal), p.error);
  EXPECT_LT(p.error, 0.02);
  EXPECT_EQ(p.verdict, Verdict::hard);
  double sum = 0;
  for (const OutputPrediction& output : p.outputs) {
    EXPECT_LE(std::abs(output.decodable), 5 * output.error);
    sum += output.decodable;
  }
  EXPECT_LE(std::abs(sum) / 30, p.error);
}

// A line of one class, a line of the other, as files often have them: nine words that all have, and one that tells
// which, but for one pair of lines in so many, if any, which are of the other class.
MadeTexts alternating_texts(std::int64_t size, std::int64_t wrong_of = 0) {
  return {size, 11, [wrong_of](std::int64_t number, int label) {
            const bool wrong = wrong_of > 0 && number / 2 % wrong_of == 0;
            return std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9 + (wrong ? 1 - label : label)};
          }};
}

TEST(Prediction, OfASampleSeesAllClassesWhereTheyAlternate) {
  Team team;
  const MadeTexts source = alternating_texts(16000);
  for (const std::int64_t sample : {16000, 2000, 1000, 500}) {
    const Cooccurrence c = measure_cooccurrence(source, team, {.words = 16, .sample = sample});
    EXPECT_EQ(c.sampled, sample);
    const Signal signal = measure_signal(c);
    EXPECT_NEAR(signal.overall, 1, 0.02) << sample;
  }
}

// A word that tells the class in four texts of five: its count and the class's correlate as 0.6.
TEST(Prediction, OfNoisyClassesTheFirstGradientIsTheRootOfTheSignal) {
  Team team;
  const Signal signal = measure_signal(measure_cooccurrence(alternating_texts(10000, 5), team, {.words = 16}));
  EXPECT_NEAR(signal.overall, 0.36, 0.01);
  EXPECT_NEAR(signal.first_gradient, 0.6, 0.01);
}

// Of 36 examples nine words are counted, and here these are the ones that tell nothing.
TEST(Prediction, OfFewExamplesIsNotThatTheyAreHard) {
  Team team;
  const Prediction few = predict(alternating_texts(36), team);
  EXPECT_EQ(few.verdict, Verdict::unsure);
  EXPECT_NE(few.because.find("only the 9 most frequent of 11 words"), std::string::npos) << few.because;
  EXPECT_EQ(predict(alternating_texts(400), team).verdict, Verdict::early);
}

// One text of class 1 has a word fifty times, as often as all texts of the class have the word that tells.
TEST(Prediction, AWordThatOneExampleRepeatsIsNotSure) {
  const MadeTexts repeated(100, 12, [](std::int64_t number, int label) {
    std::vector<int> words{static_cast<int>(number % 7), static_cast<int>(number % 5), label ? 10 : 9};
    if (number == 1) words.insert(words.end(), 50, 11);
    return words;
  });
  Team team;
  const Prediction p = predict(repeated, team);
  const auto& words = p.outputs[p.outputs[0].output == 1 ? 0 : 1].words;
  ASSERT_EQ(words.size(), 1u);
  EXPECT_EQ(words.front().input, 10);
}

TEST(Prediction, OfCopiesTheFirstAloneCounts) {
  Team team;
  PredictionOptions once;
  once.given = true;
  const Prediction p = predict(alternating_texts(400), team, once);
  EXPECT_EQ(p.examples, 2);
  EXPECT_EQ(p.copies, 398);
  EXPECT_EQ(p.verdict, Verdict::unsure);
  const MadeTexts distinct = leaning_texts(200, 3, 0.9);
  const Prediction all = predict(distinct, team), same = predict(distinct, team, once);
  EXPECT_EQ(same.copies, 0);
  EXPECT_EQ(same.signal, all.signal);
}

// Candidates are words by association, attended or not: of `the`, which three quarters of a class have, too.
TEST(Prediction, WordsThatTheFlowLeavesAreNamedAllTheSame) {
  const MadeTexts shared(600, 83, [](std::int64_t number, int label) {
    std::vector<int> words{label, 3 + static_cast<int>(number % 37), 40 + static_cast<int>(number % 41)};
    if ((number / 2 % 4 != 3) == (label == 1)) words.push_back(2);
    return words;
  });
  Team team;
  const Prediction p = predict(shared, team);
  const OutputPrediction& positive = p.outputs[p.outputs[0].output == 1 ? 0 : 1];
  const auto the = std::ranges::find(positive.candidates, 2, &Candidate::input);
  ASSERT_NE(the, positive.candidates.end());
  EXPECT_EQ(the->here, 225);
  EXPECT_EQ(the->elsewhere, 75);
  EXPECT_EQ(the->evidence, EvidenceLevel::strong);
  EXPECT_LE(the->attended, 1);
  EXPECT_FALSE(may_give_label(p, positive, *the));
  EXPECT_EQ(std::ranges::find(positive.words, 2, &WordLink::input), positive.words.end());
  const auto own = std::ranges::find(positive.candidates, 1, &Candidate::input);
  EXPECT_GT(own->attended, 1);
  EXPECT_TRUE(may_give_label(p, positive, *own));
}

TEST(Prediction, IsUnsureWherePartsOfTheTextsDisagree) {
  Team team;
  PredictionOptions given;
  given.given = true;
  int unsure = 0;
  for (const std::int64_t size : {120, 160, 200, 240, 320}) {
    const Prediction p = predict(leaning_texts(size, 1, 0.75), team, given);
    int all = 0;
    for (const int times : p.repeated) all += times;
    EXPECT_EQ(all, 10);
    const bool agree = p.repeated[static_cast<std::size_t>(p.verdict)] >= 9;
    EXPECT_TRUE(agree || p.verdict == Verdict::unsure);
    if (agree) continue;
    ++unsure;
    EXPECT_NE(p.because.find("differs between 10 draws"), std::string::npos) << p.because;
  }
  EXPECT_GT(unsure, 0);
}

TEST(Prediction, IsTheSameWithMoreThreads) {
  const ValueTable settings = table({{"vocab", whole(30)}, {"length", whole(10)}});
  const Prediction one = predict_task("copy", settings, 3000, 1), three = predict_task("copy", settings, 3000, 3);
  EXPECT_EQ(one.signal, three.signal);
  EXPECT_EQ(one.error, three.error);
  EXPECT_EQ(one.course.attention, three.course.attention);
  const Prediction a = predict_task("keyword", {}, 3000, 1), b = predict_task("keyword", {}, 3000, 3);
  EXPECT_EQ(a.signal, b.signal);
  EXPECT_EQ(a.course.correct, b.course.correct);
}

TEST(Prediction, RefusesATaskWithoutWords) {
  const auto task = make_task("feature-mean");
  EXPECT_THROW(task_bags(*task, 10), Error);
}

}  // namespace
}  // namespace fovea
