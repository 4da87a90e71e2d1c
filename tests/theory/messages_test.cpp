// Sixty made messages, thirty complaints and thirty questions, as somebody would bring them: four copies, quotes,
// emoji, and two wrong labels. What is expected was counted by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "fovea/base/random.h"
#include "fovea/data/text/given_bags.h"
#include "fovea/data/words/text_bags.h"
#include "fovea/data/words/words.h"
#include "fovea/lab/record/prediction_json.h"
#include "fovea/theory/prediction/prediction.h"
#include "fovea/view/terminal/prediction/prediction_text.h"
#include "tests/sanitized.h"

namespace fovea {
namespace {

std::string messages() {
  std::ifstream file(FOVEA_SOURCE_DIR "/tests/theory/messages.tsv", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    lines.push_back(text.substr(at, text.find('\n', at) - at));
  return lines;
}

struct Forecast {
  std::unique_ptr<BagSource> source;
  Prediction prediction;

  const Candidate* word(const std::string& label, const std::string& word) const {
    for (const OutputPrediction& output : prediction.outputs)
      for (const Candidate& one : output.candidates)
        if (source->output_word(output.output) == label && source->input_word(one.input) == word) return &one;
    return nullptr;
  }
};

Forecast forecast_of(std::unique_ptr<BagSource> source) {
  Team team;
  PredictionOptions options;
  options.given = true;
  Prediction prediction = predict(*source, team, options);
  return {std::move(source), std::move(prediction)};
}

Forecast of_file(const std::string& text) {
  TextSource source;
  source.file = "messages";
  source.format = TextFormat::tsv;
  source.text = {"2"};
  source.label = "1";
  source.table = text;
  Team team;
  return forecast_of(text_bags(source, team));
}

// The same texts as the package and the page give them.
Forecast of_memory(const std::string& text) {
  GivenTextBags given;
  given.cut = [](std::string_view one) { return cut_words(one); };
  for (const std::string& line : lines_of(text)) {
    given.outputs.push_back({line.substr(0, line.find('\t'))});
    given.inputs.push_back(cut_words(line.substr(line.find('\t') + 1)));
  }
  return forecast_of(given_bags(std::move(given)));
}

std::string shuffled_lines(const std::string& text, std::uint64_t seed) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<int> order(lines.size());
  RandomStream(seed, "shuffle").permutation(order);
  std::string shuffled;
  for (const int line : order) shuffled += lines[static_cast<std::size_t>(line)] + "\n";
  return shuffled;
}

TEST(Messages, StrongWordsAreNamedWithTheirCounts) {
  const Forecast forecast = of_file(messages());
  EXPECT_EQ(forecast.prediction.examples, 56);
  EXPECT_EQ(forecast.prediction.copies, 4);
  const std::map<std::pair<std::string, std::string>, std::pair<int, int>> counted{
      {{"question", "?"}, {25, 1}},      {{"question", "can"}, {9, 0}},      {{"question", "thanks"}, {7, 1}},
      {{"question", "do"}, {9, 1}},      {{"complaint", "refund"}, {12, 1}}, {{"complaint", "was"}, {6, 0}},
      {{"complaint", "parcel"}, {9, 2}}, {{"complaint", "."}, {20, 0}}};
  for (const auto& [word, times] : counted) {
    const Candidate* found = forecast.word(word.first, word.second);
    ASSERT_NE(found, nullptr) << word.second;
    EXPECT_EQ(found->here, times.first) << word.second;
    EXPECT_EQ(found->elsewhere, times.second) << word.second;
    EXPECT_NE(found->evidence, EvidenceLevel::weak) << word.second;
  }
  EXPECT_EQ(forecast.word("complaint", "the"), nullptr);
}

TEST(Messages, TheOrderOfLinesChangesNothing) {
  const std::string text = messages();
  const auto told = [](const Forecast& forecast) {
    Json json = prediction_json(forecast.prediction, *forecast.source);
    for (Json& label : json["labels"]["doubtful"]) label.erase("text");  // its line moves
    return json.dump();
  };
  const std::string first = told(of_file(text));
  for (std::uint64_t seed = 1; seed <= (sanitized ? 1 : 6); ++seed)
    EXPECT_EQ(told(of_file(shuffled_lines(text, seed))), first) << seed;
}

TEST(Messages, FileAndMemoryArePredictedAlike) {
  const Forecast file = of_file(messages()), memory = of_memory(messages());
  EXPECT_EQ(prediction_json(file.prediction, *file.source), prediction_json(memory.prediction, *memory.source));
}

TEST(Messages, WrongLabelsArePointedOut) {
  const Forecast forecast = of_file(messages());
  const LabelCheck& check = forecast.prediction.labels;
  EXPECT_TRUE(check.learned);
  std::vector<std::int64_t> lines;
  for (const DoubtfulLabel& one : check.doubtful) lines.push_back(one.number + 1);
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::int64_t>{29, 58}));
  EXPECT_LT(check.false_alarms, 0.1);
}

// Made texts of eight words. A word of the text's class has the probability `telling`, a word of the other class the rest.
struct Made {
  std::string text;
  std::vector<std::int64_t> swapped;
};

Made made_texts(int count, double telling, double swapped) {
  Made made;
  RandomStream random(7, "made texts");
  for (int text = 0; text < count; ++text) {
    const int label = text % 2;
    const bool wrong = random.uniform() < swapped;
    if (wrong) made.swapped.push_back(text);
    made.text += wrong == (label == 1) ? "a\t" : "b\t";
    for (int word = 0; word < 8; ++word)
      made.text += std::string((random.uniform() < telling) == (label == 1) ? "y" : "x") +
                   std::to_string(random.integer(100)) + " ";
    made.text += "\n";
  }
  return made;
}

TEST(Messages, FewLabelsOfNoisyTextsAreDoubtedAndMostSwappedLabelsAreFound) {
  if (sanitized) return;  // minutes, of the code that WrongLabelsArePointedOut runs on fewer texts
  for (const double telling : {0.65, 0.75}) {
    const Made right = made_texts(1200, telling, 0);
    const LabelCheck check = of_file(right.text).prediction.labels;
    EXPECT_TRUE(check.learned);
    EXPECT_GT((1 - check.accuracy) * 1200, 60);  // as many labels as all models contradict
    EXPECT_LE(check.doubtful.size(), 4u) << telling;
  }
  const Made made = made_texts(1200, 0.9, 0.05);
  const LabelCheck check = of_file(made.text).prediction.labels;
  std::size_t found = 0;
  for (const DoubtfulLabel& one : check.doubtful) found += std::ranges::binary_search(made.swapped, one.number);
  EXPECT_GT(made.swapped.size(), 40u);
  EXPECT_GE(found, made.swapped.size() * 8 / 10);
  EXPECT_LE(static_cast<double>(check.doubtful.size() - found), 5 + 2 * check.false_alarms);
}

TEST(Messages, TheScreenSaysWhetherToTrustFirstAndDoesNotContradictItself) {
  const Forecast forecast = of_file(messages());
  const Prediction& p = forecast.prediction;
  const std::string text = prediction_text(p, *forecast.source, {.width = 80});
  EXPECT_EQ(text.find(trust_text(p, *forecast.source).substr(0, 20)), 0u) << text;
  int repeated = 0;
  for (const int count : p.repeated) repeated += count;
  EXPECT_EQ(repeated, 10);
  EXPECT_TRUE(p.verdict == Verdict::unsure || p.repeated[static_cast<std::size_t>(p.verdict)] >= 9);
  if (!predicts_attention(p)) {
    EXPECT_NE(text.find("not predicted"), std::string::npos) << text;
    EXPECT_EQ(text.find("× uniform"), std::string::npos) << text;
  }
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 80) << line;
}

// The messages with a word in the first `share` of the complaints.
std::string leaking(double share) {
  std::vector<std::string> lines = lines_of(messages());
  std::vector<std::string*> complaints;
  for (std::string& line : lines)
    if (line.starts_with("complaint\t")) complaints.push_back(&line);
  for (std::size_t i = 0; static_cast<double>(i) < share * static_cast<double>(complaints.size()); ++i)
    *complaints[i] += " zendesk";
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(Messages, AWordThatAloneGivesTheLabelIsTheFirstLine) {
  const std::string first = "'zendesk' alone gives the label. Remove it and check again.";
  const std::string messages = leaking(1);
  const Forecast forecast = of_file(messages);
  EXPECT_EQ(leak_text(forecast.prediction, *forecast.source), first);
  const std::string shown = prediction_text(forecast.prediction, *forecast.source, {.width = 80});
  EXPECT_EQ(shown.find(first + "\n\n" + trust_text(forecast.prediction, *forecast.source).substr(0, 20)), 0u) << shown;

  Team team;
  const Prediction drawn = predict(*forecast.source, team);
  EXPECT_EQ(leak_text(drawn, *forecast.source), "") << "a task's classes are made to have such a word";
  for (const double share : {0.0, 0.8}) {
    const Forecast less = of_file(leaking(share));
    EXPECT_EQ(leak_text(less.prediction, *less.source), "") << share;
  }
}

// Labels that are wrong must not hide a leak, nor may a set be too small for a warning.
TEST(Messages, AFewWrongLabelsDoNotHideALeak) {
  std::string text;
  for (int n = 0; n < 340; ++n) {
    const bool leaks = n % 2 == 0, wrong = n == 10 || n == 100 || n == 200;
    text += fmt::format("{}\tnumber {} {}\n", leaks != wrong ? "complaint" : "question", n, leaks ? "zendesk" : "");
  }
  const Forecast forecast = of_file(text);
  EXPECT_EQ(leak_text(forecast.prediction, *forecast.source),
            "'zendesk' alone gives the label of 167 of its 170 texts. Remove it and check again.");
}

TEST(Messages, AWordOfMostTextsOfOneClassIsWarnedOfInASmallSet) {
  const Forecast small = of_file(leaking(0.8));
  const std::string shown = prediction_text(small.prediction, *small.source, {.width = 200});
  EXPECT_NE(shown.find("with 'zendesk' are of class 'complaint'. Check that it does not"), std::string::npos) << shown;
}

TEST(Messages, ALeakIsSeenInASampleOfManyTexts) {
  std::string text;
  for (int n = 0; n < 45'000; ++n)
    text += fmt::format("{}\tnumber {} {}\n", n % 2 ? "complaint" : "question", n, n % 2 ? "zendesk" : "other");
  const Forecast forecast = of_file(text);
  EXPECT_GT(forecast.prediction.counted_in, 1);
  EXPECT_EQ(leak_text(forecast.prediction, *forecast.source),
            "Each of 'zendesk', 'other' alone gives a label. Remove them and check again.");
}

TEST(Messages, WordsAreShownHoweverWeak) {
  const std::string text = messages();
  std::string few;
  for (const std::size_t line : {0u, 1u, 2u, 30u, 31u, 32u}) few += lines_of(text)[line] + "\n";
  const Forecast forecast = of_file(few);
  const std::string shown = prediction_text(forecast.prediction, *forecast.source, {.width = 80});
  for (const char* label : {"\ncomplaint  ", "\nquestion   "}) EXPECT_NE(shown.find(label), std::string::npos) << shown;
}

TEST(Messages, RandomLabelsAreNotCalledWrong) {
  std::string text;
  const std::vector<std::string> lines = lines_of(messages());
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += (i % 2 ? "a" : "b") + lines[i].substr(lines[i].find('\t')) + "\n";
  const Forecast forecast = of_file(text);
  EXPECT_FALSE(forecast.prediction.labels.learned);
  EXPECT_TRUE(forecast.prediction.labels.doubtful.empty());
  EXPECT_NE(forecast.prediction.verdict, Verdict::early);
  const std::string shown = prediction_text(forecast.prediction, *forecast.source, {.width = 80});
  for (const char* label : {"\na  ", "\nb  "}) EXPECT_NE(shown.find(label), std::string::npos) << shown;
}

}  // namespace
}  // namespace fovea
