#include "tests/data/tasks/streams/stream_help.h"

namespace fovea {
namespace {

// x and y of an example, from what the batch holds.
struct Parts {
  std::vector<int> x, y;
};
Parts parts_of(const Task& task, const Batch& batch, int example) {
  const int n = batch.source.columns / 2;
  EXPECT_EQ(batch.source.at(example, n), task.shape().vocab - 1);
  Parts parts;
  for (int i = 0; i < n; ++i) {
    parts.x.push_back(batch.source.at(example, i));
    parts.y.push_back(batch.target.at(example, n + i));
  }
  for (int t = 0; t < 2 * n - 1; ++t) EXPECT_EQ(batch.target.at(example, t), batch.source.at(example, t + 1));
  return parts;
}

// The positions that a batch names for y_i of an example.
std::vector<int> places_of(const Batch& batch, int example, int i) {
  const int n = batch.source.columns / 2, width = batch.pattern_width;
  std::vector<int> positions;
  for (int k = 0; k < width; ++k) {
    const int position = batch.pattern[static_cast<std::size_t>((example * batch.target.columns + n + i) * width + k)];
    if (position >= 0) positions.push_back(position);
  }
  return positions;
}

// visit(task, batch, example, x, y) over examples, with what holds of all such tasks checked.
template <class Visit>
void each_example(const std::string& name, const ValueTable& settings, int numbers, Visit&& visit) {
  const auto task = make_task(name, settings);
  const Batch batch = draw(*task, Split::train, 1, 30);
  const int n = batch.source.columns / 2;
  for (int b = 0; b < 30; ++b) {
    const auto [x, y] = parts_of(*task, batch, b);
    for (const int number : x) EXPECT_TRUE(number >= 1 && number <= numbers);
    for (int t = 0; t < n * batch.pattern_width; ++t)
      EXPECT_EQ(batch.pattern[static_cast<std::size_t>(b * 2 * n * batch.pattern_width + t)], -1);
    visit(batch, b, x, y);
  }
  if (batch.pattern_width == 1) EXPECT_EQ(batch.alignment, batch.pattern);
  else EXPECT_TRUE(batch.alignment.empty());
}

TEST(InputOutput, ArePureAndTheirLaddersAreLadders) {
  for (const char* name : {"mws", "prefix-sum", "stream-copy", "stream-reverse", "stream-repeat", "stream-histogram"}) {
    expect_pure(name, {});
    expect_pure(name, table({{"n", whole(4)}, {"numbers", whole(5)}}));
    expect_ladder(name, {}, 0.02);
    expect_ladder(name, table({{"n", whole(3)}, {"numbers", whole(40)}}), 0.02);
    const auto task = make_task(name);
    EXPECT_EQ(task->shape().vocab, 18);
    EXPECT_EQ(task->shape().longest, 32);
    EXPECT_EQ(task->word(17), "<sep>");
    EXPECT_EQ(task->word(16), "16");
    EXPECT_NEAR(cross_entropy(*task, draw(*task, Split::train, 0, 100), task->ladder()->rungs().back()),
                15 * std::log(16) / 32, 1e-6);
  }
}

TEST(InputOutput, MovingWindowSumsAreSums) {
  for (const int window : {1, 2, 5}) {
    each_example("mws", table({{"window", whole(window)}, {"n", whole(7)}, {"numbers", whole(10)}}), 10,
                 [&](const Batch& batch, int b, const std::vector<int>& x, const std::vector<int>& y) {
                   for (int i = 0; i < 7; ++i) {
                     int sum = 0;
                     for (const int position : places_of(batch, b, i)) sum += x[static_cast<std::size_t>(position)];
                     EXPECT_EQ(y[static_cast<std::size_t>(i)], sum % 11);
                     EXPECT_EQ(places_of(batch, b, i).size(), static_cast<std::size_t>(std::min(window, i + 1)));
                     EXPECT_EQ(places_of(batch, b, i).back(), i);
                   }
                 });
  }
}

// The heights of the plateaus of the usual size, in nats.
TEST(InputOutput, MovingWindowSumsHaveTheirHeights) {
  const auto task = make_task("mws");
  const Batch batch = draw(*task, Split::test, 0, 20'000);
  EXPECT_NEAR(cross_entropy(*task, batch, "nothing"), 2.714, 1e-3);
  EXPECT_NEAR(cross_entropy(*task, batch, "first"), 2.6275, 1e-3);
  EXPECT_NEAR(cross_entropy(*task, batch, "all"), 1.2997, 1e-3);
}

TEST(InputOutput, SumsOfNothingKnownAreAsOftenAsSaid) {
  for (const int window : {1, 2, 3}) {
    const auto task = make_task("mws", table({{"window", whole(window)}, {"n", whole(3)}, {"numbers", whole(4)}}));
    const Batch batch = draw(*task, Split::train, 0, 40'000);
    const Said said(*task, batch, "nothing");
    std::vector<double> counts(5);
    for (int b = 0; b < batch.size; ++b) ++counts[static_cast<std::size_t>(batch.target.at(b, 5))];
    for (std::size_t value = 0; value < 5; ++value)
      EXPECT_NEAR(counts[value] / batch.size, static_cast<double>(said.of(batch, 0, 5)[value]), 0.01) << value;
  }
}

TEST(InputOutput, PrefixSumsAreTheCurrentTokenAndOneNumber) {
  each_example("prefix-sum", {}, 16,
               [](const Batch& batch, int b, const std::vector<int>& x, const std::vector<int>& y) {
                 int sum = 0;
                 for (int i = 0; i < 16; ++i) {
                   sum += x[static_cast<std::size_t>(i)];
                   EXPECT_EQ(y[static_cast<std::size_t>(i)], sum % 17);
                   const std::vector<int> wanted = i == 0 ? std::vector{0} : std::vector{i, 16 + i};
                   EXPECT_EQ(places_of(batch, b, i), wanted);
                   int looked = 0;
                   for (const int position : wanted) looked += batch.source.at(b, position);
                   EXPECT_EQ(looked % 17, sum % 17);
                 }
               });
}

TEST(InputOutput, OrdersAreOrders) {
  const auto expect_order = [](const char* name, const ValueTable& settings, auto&& source_of) {
    each_example(name, settings, 16,
                 [&](const Batch& batch, int b, const std::vector<int>& x, const std::vector<int>& y) {
                   for (int i = 0; i < 16; ++i) {
                     const int from = source_of(i);
                     EXPECT_EQ(places_of(batch, b, i), std::vector{from});
                     EXPECT_EQ(y[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(from)]);
                   }
                 });
  };
  expect_order("stream-copy", {}, [](int i) { return i; });
  expect_order("stream-reverse", {}, [](int i) { return 15 - i; });
  expect_order("stream-repeat", {}, [](int) { return 0; });
  expect_order("stream-repeat", table({{"blocks", whole(4)}}), [](int i) { return i / 4 * 4; });
  expect_order("stream-repeat", table({{"blocks", whole(16)}}), [](int i) { return i; });
}

TEST(InputOutput, HistogramsCount) {
  for (const int numbers : {3, 16, 40}) {
    each_example("stream-histogram", table({{"numbers", whole(numbers)}}), numbers,
                 [](const Batch&, int, const std::vector<int>& x, const std::vector<int>& y) {
                   for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], std::count(x.begin(), x.end(), x[i]));
                 });
  }
  EXPECT_EQ(make_task("stream-histogram", table({{"numbers", whole(40)}}))->shape().vocab, 42);
  const auto task = make_task("stream-histogram", table({{"numbers", whole(2)}, {"n", whole(3)}}));
  const Batch batch = draw(*task, Split::train, 0, 1);
  const Said said(*task, batch, "nothing");
  const auto row = said.of(batch, 0, 4);
  EXPECT_FLOAT_EQ(row[1], 0.25f);
  EXPECT_FLOAT_EQ(row[2], 0.5f);
  EXPECT_FLOAT_EQ(row[3], 0.25f);
}

TEST(InputOutput, RungsUseWhatTheyMayKnow) {
  const ValueTable settings = table({{"n", whole(4)}, {"numbers", whole(9)}});
  const auto changed = [](const Batch& batch, std::initializer_list<int> x) {
    Batch other = batch;
    std::copy(x.begin(), x.end(), other.source.ids.begin());
    return other;
  };
  for (const char* name : {"mws", "prefix-sum", "stream-copy", "stream-reverse", "stream-histogram"}) {
    SCOPED_TRACE(name);
    const auto task = make_task(name, settings);
    const Batch batch = changed(draw(*task, Split::train, 0, 1), {1, 2, 2, 5});
    const Batch other = changed(batch, {3, 3, 3, 6}), reordered = changed(batch, {2, 5, 1, 2});
    Batch answered = batch;
    std::fill(answered.target.ids.begin(), answered.target.ids.end(), 1);
    for (int t = 0; t < 8; ++t) {
      SCOPED_TRACE(t);
      for (const std::string& rung : task->ladder()->rungs()) EXPECT_TRUE(same_said(*task, rung, batch, answered, t));
      EXPECT_TRUE(same_said(*task, "nothing", batch, other, t));
      if (std::string(name) == "mws" || std::string(name) == "prefix-sum") {
        EXPECT_EQ(same_said(*task, "first", batch, other, t), t != 4);
      } else {
        EXPECT_TRUE(same_said(*task, "bag", batch, reordered, t));
        EXPECT_EQ(same_said(*task, "bag", batch, other, t), t < 4);
      }
    }
    EXPECT_FALSE(same_said(*task, "all", batch, other, 6));
  }
  for (const char* name : {"prefix-sum", "stream-repeat"}) {
    const auto task = make_task(name, settings);
    const Batch batch = changed(draw(*task, Split::train, 0, 1), {1, 2, 2, 5}), other = changed(batch, {1, 7, 7, 7});
    Batch told = batch;
    told.source.at(0, 6) = batch.source.at(0, 6) + 1;
    for (int t = 0; t < 8; ++t) {
      EXPECT_TRUE(same_said(*task, "previous", batch, other, t));
      EXPECT_EQ(same_said(*task, "previous", batch, told, t), t != 6);
    }
  }
}

TEST(InputOutput, RefuseWhatCanNotBe) {
  EXPECT_NE(complaint("mws", table({{"window", whole(17)}})).find("window of task 'mws' is 17, but n is 16"),
            std::string::npos);
  EXPECT_NE(complaint("mws", table({{"numbers", whole(1)}})).find("must be 2 to 2000, not 1"), std::string::npos);
  EXPECT_NE(complaint("stream-repeat", table({{"blocks", whole(3)}})).find("cannot be cut into 3 blocks"),
            std::string::npos);
}

}  // namespace
}  // namespace fovea
