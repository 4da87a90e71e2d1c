#include "fovea/theory/exact/causal_tree.h"

#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

TEST(CausalTreeTheory, TheDataNameEveryParent) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto task = make_task("causal-tree", {}, seed);
    const std::vector<ParentGuess> guesses = guess_parents(StreamSample(*task, 20'000));
    const Batch batch = draw(*task, Split::train, 0, 1);
    ASSERT_EQ(guesses.size(), 9u);
    EXPECT_EQ(guesses[0].parent, -1);
    for (int i = 1; i < 9; ++i) {
      EXPECT_EQ(guesses[static_cast<std::size_t>(i)].parent, batch.pattern[static_cast<std::size_t>(i * 8)])
          << "place " << i << ", seed " << seed;
      EXPECT_GT(guesses[static_cast<std::size_t>(i)].share, 0.01);
    }
  }
}

// Of rows that are nearly even a parent tells nothing, and a guess is no better than chance.
TEST(CausalTreeTheory, WithoutInformationThereIsNothingToName) {
  const auto task = make_task("causal-tree", {{"alpha", real(1000)}, {"length", whole(30)}});
  const std::vector<ParentGuess> guesses = guess_parents(StreamSample(*task, 2000));
  const Batch batch = draw(*task, Split::train, 0, 1);
  int named = 0;
  for (int i = 1; i < 29; ++i)
    named += guesses[static_cast<std::size_t>(i)].parent == batch.pattern[static_cast<std::size_t>(i * 28)];
  EXPECT_LT(named, 10);
}

TEST(CausalTreeTheory, RefusesStreamsThatAskElsewhere) {
  EXPECT_THROW(guess_parents(StreamSample(*make_task("markov-icl"), 10)), Error);
}

}  // namespace
}  // namespace fovea
