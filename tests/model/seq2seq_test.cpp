#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fovea/nn/optimizer/optimizer.h"
#include "tests/model/model_scene.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using Json = nlohmann::json;

const Json& seq2seq_reference() {
  static const Json json = Json::parse(std::ifstream(FOVEA_SOURCE_DIR "/tests/reference/seq2seq.json"));
  return json;
}

Tokens tokens(const Json& ids, const Json& lengths) {
  Tokens t;
  const int rows = static_cast<int>(lengths.size());
  t.resize(rows, static_cast<int>(ids.size()) / rows);
  t.ids = ids.get<std::vector<int>>();
  t.lengths = lengths.get<std::vector<int>>();
  return t;
}

ValueTable settings(const Json& c) {
  ValueTable table{{"hidden", {c["hidden"].get<std::int64_t>(), {}}},
                   {"embedding", {c["embedding"].get<std::int64_t>(), {}}},
                   {"layers", {c["layers"].get<std::int64_t>(), {}}},
                   {"cell", {c["cell"].get<std::string>(), {}}},
                   {"bidirectional", {c["bidirectional"].get<bool>(), {}}},
                   {"combiner", {std::string(c["relu"].get<bool>() ? "relu" : "tanh"), {}}}};
  const std::string attention = c["heads"].empty() ? "none" : c["uniform"].get<bool>() ? "uniform" : "learned";
  table["attention"] = {attention, {}};
  table["encoder"] = {c["encoder"].get<std::string>(), {}};
  table["score"] = {c["score"].get<std::string>(), {}};
  if (c.contains("biases")) table["biases"] = {true, {}};
  if (c["heads"].size() > 1) {
    ValueList heads;
    for (const std::string name : c["heads"]) heads.push_back({std::int64_t{std::stoi(name.substr(5))}, {}});
    table["heads"] = {heads, {}};
  }
  return table;
}

std::string model_name(const Json& c) { return c["heads"].size() > 1 ? "seq2seq-heads" : "seq2seq"; }

TaskShape shape(const Json& c) {
  TaskShape shape{Kind::token_pairs};
  shape.vocab = shape.target_vocab = c["vocab"];
  shape.start_token = c["start"];
  shape.end_token = c["end"];
  return shape;
}

Batch batch(const Json& c) {
  Batch batch;
  batch.source = tokens(c["source"], c["source_lengths"]);
  batch.target = tokens(c["target"], c["target_lengths"]);
  batch.size = batch.source.rows;
  return batch;
}

template <class T>
void set_parameters(const ParameterSet<T>& parameters, const Json& values) {
  ASSERT_EQ(parameters.all().size(), values.size());
  for (const Param<T>& p : parameters.all()) {
    ASSERT_TRUE(values.contains(p.name)) << p.name;
    const auto numbers = values[p.name].template get<std::vector<double>>();
    ASSERT_EQ(numbers.size(), p.values().size()) << p.name;
    std::transform(numbers.begin(), numbers.end(), p.values().begin(), [](double x) { return static_cast<T>(x); });
  }
}

double relative(double a, double b) { return std::abs(a - b) / std::max(1.0, std::abs(b)); }

template <class T>
void compare_with_pytorch(double loss_tolerance, double gradient_tolerance) {
  for (const Json& c : seq2seq_reference()["cases"]) {
    SCOPED_TRACE(c["name"].template get<std::string>());
    ModelScene<T> scene(model_name(c), settings(c), shape(c));
    set_parameters(scene.parameters, c["parameters"]);
    const Batch data = batch(c);
    const Trace<T> outcome = scene.forward(data, {true});
    EXPECT_LT(relative(outcome.loss, c["losses"][0]), loss_tolerance);
    if (c.contains("beta")) {
      const Cube<T> beta = scene.model->beta(scene.bench.compute, outcome);
      ASSERT_EQ(beta.flat().size(), c["beta"].size());
      std::size_t i = 0;
      for (Index b = 0; b < beta.size(0); ++b)
        for (Index t = 0; t < beta.size(1); ++t)
          for (Index s = 0; s < beta.size(2); ++s, ++i) {
            const auto at = static_cast<std::size_t>(b);
            if (t >= data.target.lengths[at]) continue;
            EXPECT_LT(relative(outcome.attention(b, t, s), c["attention"][i]), gradient_tolerance);
            if (s < data.source.lengths[at]) {
              EXPECT_LT(relative(beta(b, t, s), c["beta"][i]), gradient_tolerance);
            } else {
              EXPECT_EQ(beta(b, t, s), T{0});
            }
          }
    }
    scene.parameters.clear_gradients();
    scene.model->backward(scene.bench.compute, outcome);
    for (const Param<T>& p : scene.parameters.all()) {
      const auto wanted = c["gradients"][p.name].template get<std::vector<double>>();
      for (std::size_t i = 0; i < wanted.size(); ++i)
        ASSERT_LT(relative(p.gradients()[i], wanted[i]), gradient_tolerance) << p.name << '[' << i << ']';
    }
    scene.adam(20, 1e-2, data);
    EXPECT_LT(relative(scene.forward(data, {true}).loss, c["losses"][20]), loss_tolerance * 100);
  }
}

TEST(Seq2Seq, EqualsPyTorchInDouble) { compare_with_pytorch<double>(1e-9, 1e-9); }
TEST(Seq2Seq, EqualsPyTorchInFloat) { compare_with_pytorch<float>(1e-5, 1e-4); }

TEST(Seq2Seq, GradientsAreWhatCentralDifferencesSay) {
  for (const Json& c : seq2seq_reference()["cases"]) {
    SCOPED_TRACE(c["name"].template get<std::string>());
    ValueTable with_dropout = settings(c);
    with_dropout["dropout"] = {0.3, {}};
    ModelScene<double> scene(model_name(c), with_dropout, shape(c));
    const Batch data = batch(c);
    scene.check_gradients(data, {true, 3, 7});
  }
}

Batch copies(int examples, int length, int vocab) {
  Batch data;
  data.size = examples;
  data.source.resize(examples, length + 1);
  RandomStream stream(9, "test");
  for (int b = 0; b < examples; ++b) {
    for (int t = 0; t < length; ++t)
      data.source.at(b, t) = static_cast<int>(stream.integer(static_cast<std::uint64_t>(vocab)));
    data.source.at(b, length) = vocab;
  }
  data.target = data.source;
  for (int b = 0; b < examples; ++b)
    for (int t = 0; t <= length; ++t) data.alignment.push_back(t);
  return data;
}

TaskShape copy_shape(int vocab) {
  TaskShape shape{Kind::token_pairs};
  shape.vocab = shape.target_vocab = vocab + 2;
  shape.end_token = vocab;
  shape.start_token = vocab + 1;
  return shape;
}

const ValueTable small_seq2seq{{"hidden", {std::int64_t{6}, {}}}, {"embedding", {std::int64_t{5}, {}}}};

TEST(Seq2Seq, GradientsUnderForcedAttention) {
  for (const Pattern pattern : {Pattern::uniform, Pattern::truth}) {
    ModelScene<double> scene("seq2seq", small_seq2seq, copy_shape(7));
    scene.check_gradients(copies(3, 4, 7), held_at(pattern, {true}));
  }
}

TEST(Seq2Seq, ForcedAttentionIsWhatItIsForcedToBe) {
  const Batch data = copies(3, 4, 7);
  // Of 8 heads the mean: a sum of equal eighths.
  ModelScene<double> heads("seq2seq-heads", small_seq2seq, copy_shape(7));
  const Trace<double> learned = heads.forward(data, {});
  ASSERT_EQ(learned.further.size(), 8u);
  double mean = 0;
  for (std::size_t h = 0; h < 8; ++h) {
    EXPECT_EQ(learned.further[h].name, "head." + std::to_string(h));
    EXPECT_EQ(learned.further[h].weights.shape(), learned.attention.shape());
    mean += learned.further[h].weights(0, 1, 2) / 8;
  }
  EXPECT_NE(learned.further[0].weights(0, 1, 2), learned.further[1].weights(0, 1, 2));
  EXPECT_NEAR(learned.attention(0, 1, 2), mean, 1e-12);
  for (const double weight : heads.forward(data, held_at(Pattern::uniform)).attention.flat())
    EXPECT_DOUBLE_EQ(weight, 0.2);
  ModelScene<double> scene("seq2seq", small_seq2seq, copy_shape(7));
  for (const double weight : scene.forward(data, held_at(Pattern::uniform)).attention.flat()) EXPECT_EQ(weight, 0.2);
  const Cube<double> truth = scene.forward(data, held_at(Pattern::truth)).attention;
  for (Index t = 0; t < 5; ++t)
    for (Index s = 0; s < 5; ++s) EXPECT_EQ(truth(1, t, s), t == s ? 1.0 : 0.0);
}

TEST(Seq2Seq, APaddedBatchIsItsExamplesOneByOne) {
  for (const Json& c : seq2seq_reference()["cases"]) {
    SCOPED_TRACE(c["name"].template get<std::string>());
    const Batch data = batch(c);
    ModelScene<double> scene(model_name(c), settings(c), shape(c));
    const Trace<double> whole = scene.gradient_of(data);
    const double together = whole.loss;
    const auto gradient = copy_of(scene.parameters.gradients());
    const auto scores = copy_of(whole.scores), attention = copy_of(whole.attention);
    const auto classes = static_cast<std::size_t>(whole.scores.size(1));
    const auto targets = static_cast<std::size_t>(data.target.columns),
               sources = static_cast<std::size_t>(data.source.columns);
    double words = 0, loss = 0;
    for (const int n : data.target.lengths) words += n;
    ASSERT_EQ(static_cast<double>(whole.scores.size(0)), words);  // nothing is said of padding
    std::size_t row = 0;
    std::vector<double> sum(gradient.size());
    for (int b = 0; b < data.size; ++b) {
      const auto at = static_cast<std::size_t>(b);
      Batch one;
      one.size = 1;
      for (const auto& [from, to] : {std::pair(&data.source, &one.source), std::pair(&data.target, &one.target)}) {
        to->resize(1, from->lengths[at]);
        for (int t = 0; t < to->columns; ++t) to->at(0, t) = from->at(b, t);
      }
      const double share = data.target.lengths[at] / words;
      const Trace<double> alone = scene.gradient_of(one);
      loss += share * alone.loss;
      for (std::size_t t = 0; t < static_cast<std::size_t>(one.target.columns); ++t, ++row) {
        for (std::size_t k = 0; k < classes; ++k)
          ASSERT_NEAR(alone.scores(static_cast<Index>(t), static_cast<Index>(k)), scores[row * classes + k], 1e-12);
        if (attention.empty()) continue;
        double mass = 0;
        for (std::size_t s = 0; s < sources; ++s) {
          const double weight = attention[(at * targets + t) * sources + s];
          mass += weight;
          if (s < static_cast<std::size_t>(one.source.columns))
            ASSERT_NEAR(alone.attention(0, static_cast<Index>(t), static_cast<Index>(s)), weight, 1e-12);
          else ASSERT_EQ(weight, 0.0);
        }
        ASSERT_NEAR(mass, 1, 1e-12);
      }
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += share * scene.parameters.gradients()[i];
    }
    EXPECT_NEAR(loss, together, 1e-12);
    for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_NEAR(sum[i], gradient[i], 1e-12) << i;
  }
}

TEST(Seq2Seq, PermutingTheBatchPermutesTheResults) {
  Batch data = copies(4, 5, 7), turned = data;
  for (int b = 0; b < 4; ++b)
    for (int t = 0; t < 6; ++t) turned.source.at(b, t) = turned.target.at(b, t) = data.source.at((b + 1) % 4, t);
  for (const char* model : {"seq2seq", "seq2seq-heads"}) {
    ModelScene<double> scene(model, small_seq2seq, copy_shape(7));
    const Trace<double> plain = scene.gradient_of(data);
    const auto scores = copy_of(plain.scores), attention = copy_of(plain.attention),
               gradient = copy_of(scene.parameters.gradients());
    const Trace<double> other = scene.gradient_of(turned);
    const auto expect_turned = [](std::span<const double> now, const std::vector<double>& before) {
      const std::size_t each = before.size() / 4;
      for (std::size_t i = 0; i < now.size(); ++i) ASSERT_NEAR(now[i], before[(i + each) % before.size()], 1e-13);
    };
    expect_turned(other.scores.flat(), scores);
    expect_turned(other.attention.flat(), attention);
    for (std::size_t i = 0; i < gradient.size(); ++i) ASSERT_NEAR(scene.parameters.gradients()[i], gradient[i], 1e-13);
  }
}

// Words are names: giving them other numbers, and the rows of the tables with them, changes nothing.
TEST(Seq2Seq, RelabellingTheVocabularyRelabelsTheResults) {
  for (const char* model : {"seq2seq", "seq2seq-heads"}) {
    ModelScene<double> scene(model, small_seq2seq, copy_shape(7)), other(model, small_seq2seq, copy_shape(7));
    const auto relabel = [](int word) { return word < 7 ? (word * 3 + 2) % 7 : word; };
    for (const char* name : {"embedding.weight", "output.weight"}) {
      const Param<double>&from = *scene.parameters.find(name), &to = *other.parameters.find(name);
      for (int word = 0; word < 9; ++word)
        std::copy_n(from.matrix()[word].data(), from.shape[1], to.matrix()[relabel(word)].data());
    }
    Batch data = copies(3, 5, 7), renamed = data;
    for (int& word : renamed.source.ids) word = relabel(word);
    renamed.target = renamed.source;
    const Trace<double> a = scene.forward(data, {}), b = other.forward(renamed, {});
    EXPECT_NEAR(a.loss, b.loss, 1e-13);
    for (Index n = 0; n < a.scores.size(0); ++n)
      for (int word = 0; word < 9; ++word) ASSERT_NEAR(a.scores(n, word), b.scores(n, relabel(word)), 1e-13);
  }
}

TEST(Seq2Seq, TheTeamChangesNoBit) {
  const ValueTable plain{{"hidden", {std::int64_t{40}, {}}}};
  ValueTable other = plain;
  other["encoder"] = {"embedding", {}};
  other["score"] = {"additive", {}};
  for (const ValueTable& settings : {plain, other}) {
    std::vector<std::vector<float>> results;
    for (const int threads : {1, 2, 3}) {
      ModelScene<float> scene("seq2seq", settings, copy_shape(30), threads);
      scene.gradient_of(copies(70, 9, 30));
      results.push_back(copy_of(scene.parameters.gradients()));
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
  }
}

// What the order of a source can do, where each state is of one word: attention sees the same states in another order,
// and the decoder begins with nothing of them.
TEST(Seq2Seq, StatesOfSingleWordsDoNotTellTheirOrder) {
  ValueTable settings = small_seq2seq;
  settings["encoder"] = {"embedding", {}};
  Batch data = copies(3, 5, 7), turned = data;
  for (int b = 0; b < 3; ++b)
    for (int s = 0; s < 6; ++s) turned.source.at(b, s) = data.source.at(b, 5 - s);
  ModelScene<double> scene("seq2seq", settings, copy_shape(7)), recurrent("seq2seq", small_seq2seq, copy_shape(7));
  const auto scores = copy_of(scene.forward(data, {}).scores);
  const Trace<double> after = scene.forward(turned, {});
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(after.scores.flat()[i], scores[i], 1e-13);
  const auto read = copy_of(recurrent.forward(data, {}).scores);
  EXPECT_GT(std::abs(recurrent.forward(turned, {}).scores.flat()[0] - read[0]), 1e-6) << "a recurrent one does";
  const Cube<double> states = scene.model->states(scene.bench.compute, after);
  const Matrix<double> table = scene.parameters.find("embedding.weight")->matrix();
  for (Index s = 0; s < 6; ++s)
    for (Index i = 0; i < 5; ++i) EXPECT_EQ(states(1, s, i), table(turned.source.at(1, static_cast<int>(s)), i));
}

TEST(Seq2Seq, RefusesASourceThatNothingReads) {
  ValueTable settings = small_seq2seq;
  settings["encoder"] = {"embedding", {}};
  settings["attention"] = {"none", {}};
  try {
    ModelScene<double> scene("seq2seq", settings, copy_shape(7));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("nothing reads the source"), std::string::npos) << error.what();
  }
}

TEST(Seq2SeqHeads, AHeadStartsAlikeInAnyCompany) {
  const auto heads = [](std::vector<std::int64_t> numbers) {
    ValueTable table = small_seq2seq;
    ValueList list;
    for (const std::int64_t n : numbers) list.push_back({n, {}});
    table["heads"] = {list, {}};
    return table;
  };
  ModelScene<float> alone("seq2seq-heads", heads({5}), copy_shape(7));
  ModelScene<float> company("seq2seq-heads", heads({1, 5, 9}), copy_shape(7));
  for (const Param<float>& p : alone.parameters.all())
    if (p.name != "combine.weight") {
      EXPECT_EQ(copy_of(p.values()), copy_of(company.parameters.find(p.name)->values())) << p.name;
    }
  EXPECT_THROW(ModelScene<float>("seq2seq-heads", heads({5, 5}), copy_shape(7)), Error);
}

}  // namespace
}  // namespace fovea
