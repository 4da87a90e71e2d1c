// Task two-spaces: queries and keys of one position, each in a space of its own.
#include "fovea/data/two_spaces.h"

#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

// a (n,m) times b (m,k)
std::vector<double> times(const std::vector<double>& a, const std::vector<double>& b, int n, int m, int k) {
  std::vector<double> c(static_cast<std::size_t>(n * k));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < k; ++j)
      for (int l = 0; l < m; ++l)
        c[static_cast<std::size_t>(i * k + j)] +=
            a[static_cast<std::size_t>(i * m + l)] * b[static_cast<std::size_t>(l * k + j)];
  return c;
}

// The four equations of Moore and Penrose, which one matrix alone fulfils.
TEST(TwoSpaces, TheWayBackIsTheInverseAsFarAsThereIsOne) {
  for (const auto& [q, k] : {std::pair{4, 4}, std::pair{4, 3}, std::pair{4, 6}, std::pair{1, 5}, std::pair{30, 20}}) {
    const TwoSpaces spaces = TwoSpaces::draw(7, q, k);
    const auto around = times(spaces.back, spaces.there, q, k, q), across = times(spaces.there, spaces.back, k, q, k);
    const auto there = times(spaces.there, around, k, q, q), back = times(around, spaces.back, q, q, k);
    for (std::size_t i = 0; i < there.size(); ++i) EXPECT_NEAR(there[i], spaces.there[i], 1e-12);
    for (std::size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(back[i], spaces.back[i], 1e-12);
    double trace = 0;
    for (int i = 0; i < q; ++i) {
      trace += around[static_cast<std::size_t>(i * q + i)];
      for (int j = 0; j < i; ++j)
        EXPECT_NEAR(around[static_cast<std::size_t>(i * q + j)], around[static_cast<std::size_t>(j * q + i)], 1e-12);
    }
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < i; ++j)
        EXPECT_NEAR(across[static_cast<std::size_t>(i * k + j)], across[static_cast<std::size_t>(j * k + i)], 1e-12);
    EXPECT_NEAR(trace, std::min(q, k), 1e-12) << "it loses no more than it must";
  }
  EXPECT_NE(TwoSpaces::draw(7, 4, 4).there, TwoSpaces::draw(8, 4, 4).there);
}

TEST(TwoSpaces, AKeyIsWhereTheMapTakesItsPlace) {
  for (const int key_width : {4, 6}) {
    const auto task =
        make_task("two-spaces", table({{"key_width", whole(key_width)}, {"noise", real(0)}, {"points", whole(50)}}), 3);
    ASSERT_NE(task->two_spaces(), nullptr);
    const Batch batch = draw(*task, Split::test, 0, 1);
    EXPECT_EQ(task->shape().width, key_width);
    EXPECT_EQ(task->shape().query_width, 4);
    for (int i = 0; i < 50; ++i) {
      double squares = 0;
      for (int j = 0; j < 4; ++j) {
        double position = 0;
        for (int c = 0; c < key_width; ++c)
          position += task->two_spaces()->back[static_cast<std::size_t>(j * key_width + c)] *
                      static_cast<double>(batch.items.item(0, i)[c]);
        squares += position * position;
        EXPECT_NEAR(static_cast<double>(batch.values.item(0, i)[j]), std::sin(3 * position), 1e-5);
      }
      EXPECT_NEAR(squares, 1, 1e-5) << "a place of the sphere";
    }
    for (int i = 0; i < batch.queries.columns; ++i)
      for (int j = 0; j < 4; ++j)
        EXPECT_NEAR(static_cast<double>(batch.answers.item(0, i)[j]),
                    std::sin(3 * static_cast<double>(batch.queries.item(0, i)[j])), 1e-6);
  }
}

TEST(TwoSpaces, TrainingAsksAfreshWithNoiseAndTheTableStays) {
  const auto task = make_task("two-spaces", table({{"noise", real(0.5)}}), 5);
  const Batch first = draw(*task, Split::train, 0, 3000), later = draw(*task, Split::train, 1, 3000);
  EXPECT_EQ(first.items.values, later.items.values);
  EXPECT_EQ(first.values.values, later.values.values);
  EXPECT_NE(first.queries.values, later.queries.values);
  EXPECT_TRUE(same(first, draw(*make_task("two-spaces", table({{"noise", real(0.5)}}), 5), Split::train, 0, 3000)));
  EXPECT_TRUE(same(draw(*task, Split::test, 0, 1), draw(*task, Split::test, 9, 4)));
  double squares = 0;
  for (std::size_t i = 0; i < first.answers.values.size(); ++i) {
    const double off =
        static_cast<double>(first.answers.values[i]) - std::sin(3 * static_cast<double>(first.queries.values[i]));
    squares += off * off;
  }
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(first.answers.values.size())), 0.5, 0.02);
}

}  // namespace
}  // namespace fovea
