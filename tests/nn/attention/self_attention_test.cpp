#include "fovea/nn/attention/self_attention.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

#include "fovea/base/random.h"

namespace fovea {
namespace {

constexpr Index streams_here = 3, places_here = 75, heads_here = 2, key_here = 5, value_here = 18;

// Of all positions; of all, of which those that do not ask have no gradient; or of those that ask alone.
enum class Rows { all, all_but_asking_count, asking };

// Streams of several lengths with what attention gives and its gradients, by a team and with weights kept or not.
template <class T>
struct SelfScene {
  explicit SelfScene(Weighting weighting, bool relative, int threads = 1, bool keeps = true, Rows which = Rows::all)
      : attention{weighting, heads_here, key_here, value_here}, team(threads), compute{arena, team} {
    constexpr Index rows = streams_here * places_here;
    RandomStream stream(7, "self-attention");
    const auto draw = [&](Index count, Index width) {
      const Matrix<T> all = compute.array<T>(count, width);
      for (T& x : all.flat()) x = static_cast<T>(static_cast<float>(stream.uniform(-1, 1)));
      return all;
    };
    pass.rows = {places_here, lengths};
    pass.q = draw(rows, heads_here * key_here);
    pass.k = draw(rows, heads_here * key_here);
    pass.v = draw(rows, heads_here * value_here);
    dy = draw(rows, heads_here * value_here);
    if (which == Rows::all_but_asking_count) dy = scatter(compute, gathered(dy), RowMap(asking), rows);
    if (which == Rows::asking) {
      pass.rows.given = RowMap(asking);
      pass.q = gather(compute, pass.q, RowMap(asking));
      dy = gathered(dy);
    }
    const Index given = pass.q.size(0);
    if (relative) pass.r = draw(places_here, heads_here * key_here);
    pass.rules = rules;
    if (keeps) pass.kept = arena.take<T>(static_cast<std::size_t>(attention.kept_size(streams_here, places_here)));
    y = compute.array<T>(given, heads_here * value_here);
    attention.forward(compute, pass, y);
    d = {compute.array<T>(given, heads_here * key_here), compute.array<T>(rows, heads_here * key_here),
         compute.array<T>(rows, heads_here * value_here),
         relative ? compute.zeros<T>(places_here, heads_here * key_here) : Matrix<T>()};
    attention.backward(compute, pass, dy, d);
  }

  Matrix<T> gathered(Matrix<T> x) { return gather(compute, x, RowMap(asking)); }

  std::vector<T> all() const {
    std::vector<T> numbers;
    for (const Matrix<T>& x : {y, d.q, d.k, d.v, d.r}) numbers.insert(numbers.end(), x.flat().begin(), x.flat().end());
    return numbers;
  }

  SelfAttention<T> attention;
  std::vector<int> lengths{75, 33, 1};
  // Of two tiles of three in the first stream, of none in the second, and a position that is not there.
  std::vector<int> asking{3, 4, 30, 31, 64, 66, 2 * places_here, 2 * places_here + 5};
  std::vector<AttentionRule> rules{{}, {}};
  Arena arena;
  Team team;
  Compute compute;
  typename SelfAttention<T>::Inputs pass;
  Matrix<T> y, dy;
  typename SelfAttention<T>::InputGradients d;
};

struct Row {
  Weighting weighting;
  bool relative;
};
constexpr Row rows_of_weighting[] = {
    {Weighting::softmax, false}, {Weighting::softmax, true}, {Weighting::linear, false}, {Weighting::relu, true}};

TEST(SelfAttention, NeitherTheTeamNorKeptWeightsChangeABit) {
  for (const Row row : rows_of_weighting) {
    const std::vector<float> one = SelfScene<float>(row.weighting, row.relative).all();
    EXPECT_EQ(one, SelfScene<float>(row.weighting, row.relative, 2).all());
    EXPECT_EQ(one, SelfScene<float>(row.weighting, row.relative, 3, false).all());
  }
}

TEST(SelfAttention, OfThoseThatAskAloneIsTheSameToTheBit) {
  for (const Row row : rows_of_weighting)
    for (const int threads : {1, 2}) {
      SelfScene<float> all(row.weighting, row.relative, 1, true, Rows::all_but_asking_count);
      const SelfScene<float> some(row.weighting, row.relative, threads, threads == 1, Rows::asking);
      all.y = all.gathered(all.y);
      all.d.q = all.gathered(all.d.q);
      EXPECT_EQ(all.all(), some.all());
    }
}

TEST(SelfAttention, MakesOnlyTheGradientsThatAreWanted) {
  SelfScene<double> scene(Weighting::softmax, true);
  const auto copy = [](Matrix<double> x) { return std::vector<double>(x.flat().begin(), x.flat().end()); };
  for (Matrix<double> SelfAttention<double>::InputGradients::*const part :
       {&SelfAttention<double>::InputGradients::q, &SelfAttention<double>::InputGradients::k,
        &SelfAttention<double>::InputGradients::v}) {
    const std::vector<double> with_others = copy(scene.d.*part);
    typename SelfAttention<double>::InputGradients alone;
    alone.*part = scene.compute.array<double>((scene.d.*part).size(0), (scene.d.*part).size(1));
    scene.attention.backward(scene.compute, scene.pass, scene.dy, alone);
    EXPECT_EQ(copy(alone.*part), with_others);
  }
}

}  // namespace
}  // namespace fovea
