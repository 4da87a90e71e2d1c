// A transformer whose first block computes each distinct row once (nn/stream_rows.h) gives what one without shared rows
// gives.
#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/model/optional_queries.h"
#include "tests/model/model_scene.h"
#include "tests/model/token_batch.h"
#include "tests/model/transformer_rows.h"

namespace fovea {
namespace {

using namespace fovea::testing;

constexpr int repeats = 8;

// The streams of a batch, several times.
Batch often(const Batch& few) {
  Batch many = few;
  for (int time = 1; time < repeats; ++time) {
    for (auto [to, from] : {std::pair(&many.source, &few.source), std::pair(&many.target, &few.target)}) {
      to->ids.insert(to->ids.end(), from->ids.begin(), from->ids.end());
      to->lengths.insert(to->lengths.end(), from->lengths.begin(), from->lengths.end());
      to->rows += from->rows;
    }
    many.pattern.insert(many.pattern.end(), few.pattern.begin(), few.pattern.end());
  }
  many.size = many.source.rows;
  return many;
}

// Many copies of streams share rows of the first block; three streams share none with learned positions. Loss,
// gradients and scores are the same.
void expect_nothing_else_changes(const ValueTable& settings, const Pass& pass = {}) {
  const Batch few = some_streams(3), many = often(few);
  ModelScene<double> scene("transformer", settings, stream_shape(6, 5, 7));
  const double loss = scene.gradient_of(few, pass).loss;
  const std::vector<double> wanted = copy_of(scene.parameters.gradients());
  EXPECT_NEAR(scene.gradient_of(many, pass).loss, loss, 1e-12);
  const std::vector<double> shared = copy_of(scene.parameters.gradients());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(shared[i], wanted[i], 1e-12) << i;
  const std::vector<double> said = copy_of(scene.forward(few, pass).scores);
  const std::vector<double> said_often = copy_of(scene.forward(many, pass).scores);
  EXPECT_TRUE(std::equal(said.begin(), said.end(), said_often.begin()));
  ModelScene<double> team("transformer", settings, stream_shape(6, 5, 7), 3);
  team.gradient_of(many, pass);
  EXPECT_EQ(copy_of(team.parameters.gradients()), shared) << "by three threads";
}

TEST(DistinctRows, ThatAreSharedChangeNothingElse) {
  for (const TransformerRow& row : transformer_rows()) {
    SCOPED_TRACE(row.name);
    expect_nothing_else_changes(row.settings);
  }
}

TEST(DistinctRows, ThatAreSharedChangeNothingWherePartsAreFrozen) {
  const ValueList inputs{word("embed"), word("positions")}, first{word("qk.1"), word("v.1")},
      all{word("embed"), word("positions"), word("qk.1"), word("v.1")};
  for (const char* norm : {"pre", "none"})
    for (const char* queries : {"separate", "merged", "identity"})
      for (const ValueList& names : {inputs, first, all}) {
        SCOPED_TRACE(std::string(norm) + " " + queries + " " + std::to_string(names.size()));
        expect_nothing_else_changes(
            transformer_with({{"norm", word(norm)}, {"queries", word(queries)}, {"frozen", {names, {}}}}));
      }
}

TEST(DistinctRows, ThatAreSharedChangeNothingUnderARuleOfAHead) {
  const RequestedRule rules[] = {
      {Pattern::uniform},      {Pattern::previous},         {Pattern::truth},
      {Pattern::learned, 3.0}, {Pattern::learned, 1, true}, {Pattern::learned, 1, false, 0.7},
      {.factor = 0.5}};
  for (const int layers : {1, 2})
    for (const RequestedRule& rule : rules) {
      SCOPED_TRACE(std::to_string(layers) + " layers, rule " + std::to_string(&rule - rules));
      const ScopedRule change{rule.copy != 0 ? layers : 1, 2, rule};
      Pass pass;
      pass.rules = {{&change, 1}};
      expect_nothing_else_changes(transformer_with({{"layers", {layers, {}}}}), pass);
    }
}

// A batch's loss is a mean over what it asks, and beta is of one example: the same of each copy.
TEST(DistinctRows, ThatAreSharedChangeNoBetaOfAHead) {
  const Batch few = some_streams(3), many = often(few);
  ModelScene<double> scene("transformer", transformer_with({}), stream_shape(6, 5, 7));
  const auto betas = [&](const Batch& batch) {
    scene.bench.arena.reset();
    std::vector<std::vector<double>> all;
    for (const HeadBeta<double>& head :
         scene.model_as<HasHeadBetas<double>>().head_betas(scene.bench.compute, batch, {}))
      all.push_back(copy_of(head.beta));
    return all;
  };
  const auto once = betas(few), repeated = betas(many);
  ASSERT_EQ(once.size(), 4u);
  for (std::size_t head = 0; head < once.size(); ++head) {
    EXPECT_GT(*std::ranges::max_element(once[head]), 0);
    ASSERT_EQ(repeated[head].size(), repeats * once[head].size());
    for (std::size_t i = 0; i < repeated[head].size(); ++i)
      EXPECT_NEAR(repeated[head][i], once[head][i % once[head].size()], 1e-12) << head << ' ' << i;
  }
}

}  // namespace
}  // namespace fovea
