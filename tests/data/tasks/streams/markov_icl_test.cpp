#include <array>

#include "fovea/data/tasks/streams/markov_chain.h"
#include "tests/data/tasks/streams/stream_help.h"

namespace fovea {
namespace {

ValueTable chains_of(int states, bool doubly = false, const char* ask = "all") {
  return table({{"states", whole(states)}, {"doubly", yes(doubly)}, {"ask", word(ask)}});
}

std::span<const float> truth_of(const Batch& batch, int states, int example, int position) {
  return std::span(batch.truth)
      .subspan(static_cast<std::size_t>((example * batch.target.columns + position) * states),
               static_cast<std::size_t>(states));
}

TEST(MarkovIcl, IsPureAndItsLadderIsOne) {
  expect_pure("markov-icl", {});
  expect_pure("markov-icl", table({{"doubly", yes(true)}, {"alpha", real(0.3)}, {"ask", word("last")}}));
  expect_ladder("markov-icl", chains_of(2), 0.01);
  expect_ladder("markov-icl", chains_of(3), 0.01);
  expect_ladder("markov-icl", chains_of(5, false, "last"), 0.3);
}

TEST(MarkovIcl, TargetsAreTheNextTokensAndTheTruthIsOneRowAToken) {
  const auto task = make_task("markov-icl", chains_of(3));
  const Batch batch = draw(*task, Split::train, 0, 20);
  ASSERT_EQ(batch.truth.size(), 20u * 100 * 3);
  EXPECT_EQ(batch.alignment, std::vector<int>(2000, -1));
  for (int b = 0; b < 20; ++b) {
    std::vector<std::vector<float>> rows(3);
    for (int t = 0; t < 100; ++t) {
      if (t < 99) {
        EXPECT_EQ(batch.target.at(b, t), batch.source.at(b, t + 1));
      }
      const auto truth = truth_of(batch, 3, b, t);
      std::vector<float>& row = rows[static_cast<std::size_t>(batch.source.at(b, t))];
      if (row.empty()) row.assign(truth.begin(), truth.end());
      EXPECT_TRUE(std::equal(row.begin(), row.end(), truth.begin()));
    }
  }
}

TEST(MarkovIcl, AskedOnlyAtTheLastItIsTheSameStream) {
  const Batch all = draw(*make_task("markov-icl", chains_of(4)), Split::train, 0, 5);
  const Batch last = draw(*make_task("markov-icl", chains_of(4, false, "last")), Split::train, 0, 5);
  EXPECT_EQ(all.source.ids, last.source.ids);
  for (int b = 0; b < 5; ++b) {
    for (int t = 0; t < 100; ++t) {
      EXPECT_EQ(last.target.at(b, t), t == 99 ? all.target.at(b, t) : -1);
      for (std::size_t j = 0; j < 4; ++j)
        EXPECT_EQ(truth_of(last, 4, b, t)[j], t == 99 ? truth_of(all, 4, b, t)[j] : 0.0f);
    }
  }
}

// KL(truth || rung) of the last of 100 tokens.
TEST(MarkovIcl, RungsAreAsFarFromTheTruthAsIsKnown) {
  for (const auto& [states, wanted] :
       {std::pair{2, std::array{0.2117, 0.0872, 0.0092}}, std::pair{3, std::array{0.2791, 0.1702, 0.0264}}}) {
    const auto task = make_task("markov-icl", chains_of(states, false, "last"));
    const Batch batch = draw(*task, Split::test, 0, 20'000);
    EXPECT_NEAR(distance_from_truth(*task, batch, "uniform"), wanted[0], 0.006) << states;
    EXPECT_NEAR(distance_from_truth(*task, batch, "unigram"), wanted[1], 0.004) << states;
    EXPECT_NEAR(distance_from_truth(*task, batch, "bigram"), wanted[2], 0.0008) << states;
    EXPECT_EQ(distance_from_truth(*task, batch, "truth"), 0);
  }
}

TEST(MarkovIcl, CountsByHand) {
  const auto task = make_task("markov-icl", table({{"states", whole(3)}, {"length", whole(5)}, {"alpha", real(1)}}));
  Batch batch = draw(*task, Split::train, 0, 1);
  batch.source.ids = {0, 1, 0, 2, 0};
  const auto at_end = [&](const char* rung) {
    const Said said(*task, batch, rung);
    const auto row = said.of(batch, 0, 4);
    return std::vector<float>(row.begin(), row.end());
  };
  EXPECT_EQ(at_end("unigram"), (std::vector<float>{4.0f / 8, 2.0f / 8, 2.0f / 8}));
  EXPECT_EQ(at_end("bigram"), (std::vector<float>{1.0f / 5, 2.0f / 5, 2.0f / 5}));
  Batch later = batch;
  later.source.ids[3] = 1;
  for (const char* rung : {"unigram", "bigram"}) EXPECT_TRUE(same_said(*task, rung, batch, later, 2)) << rung;
  Batch reordered = batch;
  reordered.source.ids = {2, 0, 1, 0, 0};
  EXPECT_TRUE(same_said(*task, "unigram", batch, reordered, 4));
  EXPECT_FALSE(same_said(*task, "bigram", batch, reordered, 4));
  reordered.target.ids = {0, 0, 0, 0, 0};
  EXPECT_TRUE(same_said(*task, "unigram", batch, reordered, 4));
}

TEST(MarkovIcl, DoublyStochasticChainsHaveAsManyOfEachToken) {
  for (const int states : {2, 3, 8}) {
    const auto task = make_task("markov-icl", chains_of(states, true));
    const Batch batch = draw(*task, Split::train, 0, 300);
    for (int b = 0; b < 300; ++b) {
      std::vector<double> columns(static_cast<std::size_t>(states));
      std::vector<bool> seen(static_cast<std::size_t>(states));
      for (int t = 0; t < 100; ++t) {
        const auto token = static_cast<std::size_t>(batch.source.at(b, t));
        if (seen[token]) continue;
        seen[token] = true;
        for (std::size_t j = 0; j < columns.size(); ++j)
          columns[j] += static_cast<double>(truth_of(batch, states, b, t)[j]);
      }
      if (std::find(seen.begin(), seen.end(), false) != seen.end()) continue;
      for (const double sum : columns) EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
  const auto task = make_task("markov-icl", table({{"states", whole(3)}, {"doubly", yes(true)}, {"length", whole(2)}}));
  const Batch batch = draw(*task, Split::train, 0, 20'000);
  std::vector<double> first(3), second(3);
  for (int b = 0; b < batch.size; ++b) {
    ++first[static_cast<std::size_t>(batch.source.at(b, 0))];
    ++second[static_cast<std::size_t>(batch.source.at(b, 1))];
  }
  expect_even(first);
  expect_even(second);
}

TEST(MarkovIcl, RefusesWhatCanNotBe) {
  EXPECT_NE(complaint("markov-icl", chains_of(1)).find("must be 2 to 64, not 1"), std::string::npos);
  EXPECT_NE(complaint("markov-icl", table({{"alpha", real(0)}})).find("alpha"), std::string::npos);
  EXPECT_NE(complaint("markov-icl", table({{"ask", word("lst")}})).find("Did you mean 'last'"), std::string::npos);
}

TEST(MarkovChain, GammaDrawsHaveTheirMeansAndVariances) {
  for (const double shape : {0.1, 0.5, 1.0, 1.5, 6.3}) {
    RandomStream stream(3, "test.gamma");
    const int draws = 100'000;
    double sum = 0, squares = 0;
    for (int i = 0; i < draws; ++i) {
      const double g = draw_gamma(stream, shape);
      ASSERT_GE(g, 0);
      sum += g;
      squares += g * g;
    }
    const double mean = sum / draws;
    EXPECT_NEAR(mean, shape, 5 * std::sqrt(shape / draws));
    EXPECT_NEAR(squares / draws - mean * mean, shape, 0.05 * std::max(shape, 0.3));
  }
}

TEST(MarkovChain, RestIsKeptByAStep) {
  RandomStream stream(5, "test.rest");
  const std::size_t k = 7;
  std::vector<double> chain(k * k), rest(k), scratch(k * k);
  const std::vector<double> shapes(k, 0.2);
  for (std::size_t i = 0; i < k; ++i) draw_dirichlet(stream, shapes, std::span(chain).subspan(i * k, k));
  find_rest(chain, rest, scratch);
  double sum = 0;
  for (std::size_t j = 0; j < k; ++j) {
    double next = 0;
    for (std::size_t i = 0; i < k; ++i) next += rest[i] * chain[i * k + j];
    EXPECT_NEAR(next, rest[j], 1e-14);
    sum += rest[j];
  }
  EXPECT_NEAR(sum, 1, 1e-14);
}

}  // namespace
}  // namespace fovea
