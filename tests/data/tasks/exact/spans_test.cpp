#include <cmath>

#include "tests/data/tasks/streams/stream_help.h"

namespace fovea {
namespace {

const ValueTable small_spans{{"vocab", whole(4)}, {"span_length", whole(1)}};

// Mean of -sum p log r of a rung.
double height_of_truth(const Task& task, const Batch& batch, const std::string& rung) {
  double entropy = 0;
  for (const float p : batch.truth)
    if (p > 0) entropy -= double(p) * std::log(double(p)) / batch.size;
  return entropy + distance_from_truth(task, batch, rung);
}

TEST(SpansTask, IsPureAndHasALadder) {
  expect_pure("spans", {});
  expect_ladder("spans", {}, 0.3);
  const auto task = make_task("spans");
  EXPECT_EQ(task->shape().longest, 6);
  EXPECT_EQ(task->ladder()->rungs(),
            (std::vector<std::string>{"nothing", "span-3", "span-2", "span-1", "spans-1-2", "truth"}));
  EXPECT_EQ(make_task("spans", {{"spans", whole(1)}})->ladder()->rungs(),
            (std::vector<std::string>{"nothing", "truth"}));
}

// The logits of all 64 contexts give the teacher back: a sum over spans, each of a number times an orthogonal matrix.
TEST(SpansTask, ATeacherIsASumOfOrthogonalMatrices) {
  const auto task = make_task("spans", small_spans);
  const Batch batch = draw(*task, Split::train, 0, 4000);
  EXPECT_TRUE(task->ladder()->answers_are_distributions());
  double logit[4][4][4][4] = {};  // of tokens of spans 3, 2 and 1, and the answer; less their mean over answers
  for (int b = 0; b < batch.size; ++b) {
    double mean = 0;
    const float* const p = batch.truth.data() + (b * 3 + 2) * 4;
    for (int y = 0; y < 4; ++y) mean += std::log(double(p[y])) / 4;
    for (int y = 0; y < 4; ++y)
      logit[batch.source.at(b, 0)][batch.source.at(b, 1)][batch.source.at(b, 2)][y] = std::log(double(p[y])) - mean;
  }
  // What token x of a span says, with tokens a and b in the others.
  const auto says = [&](int span, int x, int y, int a, int b) {
    return span == 3 ? logit[x][a][b][y] : span == 2 ? logit[a][x][b][y] : logit[a][b][x][y];
  };
  for (const auto& [span, strength] : {std::pair(3, 2.0), {2, 3.4}, {1, 5.78}}) {
    double squares = 0;
    for (int x = 0; x < 4; ++x)
      for (int other = 0; other < 4; ++other)
        for (int y = 0; y < 4; ++y) {
          const double d = says(span, x, y, 1, 2) - says(span, other, y, 1, 2);
          EXPECT_NEAR(d, says(span, x, y, 0, 3) - says(span, other, y, 0, 3), 1e-4) << "spans do not meet";
          squares += d * d;
        }
    // The 12 pairs of rows of c Q are 2 c² apart each. The mean over answers takes out at most 8 c² of these 24 c².
    EXPECT_LE(squares, 24 * strength * strength * (1 + 1e-4)) << span;
    EXPECT_GE(squares, 16 * strength * strength * (1 - 1e-4)) << span;
  }
}

// Against all 64 contexts, of which each is equally likely.
TEST(SpansTask, RungsAreMeansOverWhatIsNotKnown) {
  const auto task = make_task("spans", small_spans);
  const Batch batch = draw(*task, Split::validation, 0, 4000);
  const auto mean_error = [&](const std::string& rung, auto same_known) {
    const Said said(*task, batch, rung);
    double most = 0;
    for (const int b : {0, 1, 2}) {
      double mean[4] = {}, count = 0;
      for (int other = 0; other < batch.size; ++other) {
        if (!same_known(b, other)) continue;
        ++count;
        for (int y = 0; y < 4; ++y) mean[y] += double(batch.truth[static_cast<std::size_t>((other * 3 + 2) * 4 + y)]);
      }
      for (int y = 0; y < 4; ++y)
        most = std::max(most, std::abs(mean[y] / count - double(said.of(batch, b, 2)[static_cast<std::size_t>(y)])));
    }
    return most;
  };
  const auto same_at = [&](int i) {
    return [&batch, i](int b, int other) { return batch.source.at(b, i) == batch.source.at(other, i); };
  };
  EXPECT_LT(mean_error("nothing", [](int, int) { return true; }), 0.03);
  EXPECT_LT(mean_error("span-3", same_at(0)), 0.08);
  EXPECT_LT(mean_error("span-2", same_at(1)), 0.08);
  EXPECT_LT(mean_error("span-1", same_at(2)), 0.08);
  EXPECT_LT(mean_error("spans-1-2", [&](int b, int other) { return same_at(1)(b, other) && same_at(2)(b, other); }),
            0.08);
  EXPECT_GT(mean_error("span-1", same_at(0)), 0.1) << "the newest and the oldest span differ";
}

// Of 20 tokens, 2 in each of 3 spans, a prototype found 2.79, 1.98, 1.67 and 1.55 for one teacher.
TEST(SpansTask, RungsOfTheFirstSetting) {
  const auto task = make_task("spans");
  const Batch batch = draw(*task, Split::validation, 0, 2000);
  EXPECT_NEAR(height_of_truth(*task, batch, "nothing"), 2.79, 0.1);
  EXPECT_NEAR(height_of_truth(*task, batch, "span-1"), 1.98, 0.15);
  EXPECT_NEAR(height_of_truth(*task, batch, "spans-1-2"), 1.67, 0.15);
  EXPECT_NEAR(height_of_truth(*task, batch, "truth"), 1.55, 0.15);
}

TEST(SpansTask, RefusesLogitsThatOverflow) {
  EXPECT_NE(complaint("spans", {{"scale", real(20)}}).find("a smaller scale, ratio or span_length"), std::string::npos);
}

}  // namespace
}  // namespace fovea
