#include "fovea/model/glimpse/glimpse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/random.h"
#include "fovea/model/items/items.h"
#include "fovea/nn/activation.h"
#include "fovea/nn/loss.h"
#include "fovea/nn/team_matmul.h"

namespace fovea {

namespace {

// The middle of the pixels that are marked, from -1 to 1: of the columns (axis 0) and of the rows.
std::array<double, 2> middle_of(std::span<const std::uint8_t> marked, Index side) {
  std::array<Index, 2> least{side, side}, most{-1, -1};
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (!marked[i]) continue;
    const auto pixel = static_cast<Index>(i);
    const std::array<Index, 2> at{pixel % side, pixel / side};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      least[axis] = std::min(least[axis], at[axis]);
      most[axis] = std::max(most[axis], at[axis]);
    }
  }
  std::array<double, 2> middle{};
  if (most[0] < 0) return middle;
  for (std::size_t axis = 0; axis < 2; ++axis)
    middle[axis] = static_cast<double>(least[axis] + most[axis] + 1) / static_cast<double>(side) - 1;
  return middle;
}

template <class T>
int largest(std::span<const T> scores) {
  return static_cast<int>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

constexpr Activation relu{Activation::Kind::relu, 0};

// d where y > 0, else 0
template <class T>
void relu_backward(Compute& compute, Matrix<T> y, Matrix<T> d) {
  activate_backward<T>(compute.team, relu, y.flat(), d.flat(), d.flat());
}

}  // namespace

template <class T>
void Glimpse<T>::settings(Fields& fields) {
  fields.integer("glimpses", glimpses_, 1, 1000, "number of glimpses at each image");
  fields.integer("patch", patch_, 1, 1 << 10, "pixels along a side of a glimpse at each scale");
  fields.integer("scales", scales_, 1, 8, "patches of a glimpse, each twice as wide as the one before");
  fields.integer("what_width", what_width_, 1, 1 << 14, "width of the layer that reads the patches");
  fields.integer("where_width", where_width_, 1, 1 << 14, "width of the layer that reads the position");
  fields.integer("glimpse_width", glimpse_width_, 1, 1 << 14, "width of the layer that joins both");
  fields.integer("hidden", hidden_, 1, 1 << 14, "width of the state");
  fields.choice("policy", policy_,
                {{"learned", GlimpsePolicy::learned},
                 {"unrewarded", GlimpsePolicy::unrewarded},
                 {"random", GlimpsePolicy::random},
                 {"centre", GlimpsePolicy::centre}},
                "where glimpses go: learned from reward, by an untrained layer, anywhere, or always to the centre");
  fields.choice("first", first_, {{"random", First::random}, {"centre", First::centre}},
                "where the first glimpse goes; policy \"centre\" begins at the centre");
  const auto learned = [this] { return policy_ == GlimpsePolicy::learned; };
  fields.number("spread", spread_, 1e-6, 10, "standard deviation of positions in training; the image is 2 wide");
  fields.only_of("policies \"learned\" and \"unrewarded\"", [this] { return by_state(policy_); });
  fields.number("pace", pace_, 1e-6, 1, "rate of the layer of positions, relative to the others, under Adam");
  fields.only_of("policies \"learned\" and \"unrewarded\"", [this] { return by_state(policy_); });
  fields.number("reward_weight", reward_weight_, 0, 1e6, "weight of the expected reward in the loss");
  fields.only_of("policy \"learned\"", learned);
}

template <class T>
void Glimpse<T>::build(const TaskShape& shape, ParameterSet<T>& parameters) {
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(shape.width))));
  if (side * side != shape.width)
    throw wrong_input("model 'glimpse' needs square images, and vectors of " + std::to_string(shape.width) +
                          " numbers are not square",
                      "choose another task");
  if (patch_ > side)
    throw wrong_input(fmt::format("patches of {0} x {0} pixels are larger than the images of {1} x {1}", patch_, side),
                      fmt::format("set model.patch to {} or less, or use larger images", side),
                      Location::setting("patch"));
  sensor_ = {side, patch_, scales_};
  what_ = Linear<T>::declare(parameters, "what", sensor_.width(), what_width_);
  where_ = Linear<T>::declare(parameters, "where", 2, where_width_);
  join_what_ = Linear<T>::declare(parameters, "join_what", what_width_, glimpse_width_);
  join_where_ = Linear<T>::declare(parameters, "join_where", where_width_, glimpse_width_, Group::body, Bias::no);
  core_glimpse_ = Linear<T>::declare(parameters, "core_glimpse", glimpse_width_, hidden_);
  core_state_ = Linear<T>::declare(parameters, "core_state", hidden_, hidden_, Group::body, Bias::no);
  classes_ = Linear<T>::declare(parameters, "classes", hidden_, shape.classes);
  const Init start = Init::uniform(1 / (pace_ * std::sqrt(static_cast<double>(hidden_))));
  if (by_state(policy_))
    location_ = Linear<T>::declare(parameters, "location", hidden_, 2, {start, start}, Group::attention, Bias::yes);
  if (policy_ == GlimpsePolicy::learned) baseline_ = Linear<T>::declare(parameters, "baseline", hidden_, 1);
}

template <class T>
GlimpsePolicy Glimpse<T>::policy_in(const Batch& batch, const Pass& pass) const {
  const AttentionRule::Pattern pattern = pass.rules.of(1, 1).pattern;
  if (!by_state(policy_) || pattern == AttentionRule::Pattern::learned) return policy_;
  if (pattern == AttentionRule::Pattern::uniform) return GlimpsePolicy::random;
  return batch.marked.empty() ? policy_ : GlimpsePolicy::truth;
}

// Of glimpse t of image b, its place; where it follows μ, (u - μ) / σ.
template <class T>
std::array<double, 2> Glimpse<T>::draw(const Batch& batch, const Pass& pass, GlimpsePolicy policy, Index t,
                                       Index b) const {
  RandomStream stream(pass.seed, pass.training ? "glimpse.train" : "glimpse.look", pass.step,
                      static_cast<std::uint64_t>(b) << 10 | static_cast<std::uint64_t>(t));
  std::array<double, 2> at{};
  if (policy == GlimpsePolicy::truth) {
    const Index pixels = sensor_.side * sensor_.side;
    at = middle_of(std::span(batch.marked).subspan(static_cast<std::size_t>(b * pixels), std::size_t(pixels)),
                   sensor_.side);
  } else if (policy == GlimpsePolicy::random || (by_state(policy) && t == 0)) {
    if (t > 0 || first_ == First::random)
      for (double& x : at) x = stream.uniform(-1, 1);
  } else if (by_state(policy) && pass.training) {
    for (double& x : at) x = stream.normal();
  }
  return at;
}

template <class T>
Cube<double> Glimpse<T>::draws(Compute& compute, const Batch& batch, const Pass& pass) const {
  const GlimpsePolicy policy = policy_in(batch, pass);
  const Cube<double> all = compute.array<double>(Index{glimpses_}, Index{batch.size}, Index{2});
  for (Index t = 0; t < glimpses_; ++t)
    for (Index b = 0; b < batch.size; ++b) std::ranges::copy(draw(batch, pass, policy, t, b), all[t][b].data());
  return all;
}

// Fills l, and where places follow μ u, of glimpse t.
template <class T>
void Glimpse<T>::place(const Batch& batch, const Pass& pass, Index t, const GlimpseTrace<T>& own,
                       Cube<const T> drawn) const {
  const Index images = batch.size;
  for (Index b = 0; b < images; ++b) {
    const Index row = t * images + b;
    std::array<double, 2> at = draw(batch, pass, own.policy, t, b);
    if (by_state(own.policy) && t > 0)
      for (Index axis = 0; axis < 2; ++axis) {
        double& x = at[static_cast<std::size_t>(axis)];
        x = static_cast<double>(own.means(row, axis)) + spread_ * x;
      }
    for (Index axis = 0; axis < 2; ++axis) {
      const T u = drawn.empty() ? static_cast<T>(at[static_cast<std::size_t>(axis)]) : drawn(t, b, axis);
      if (by_state(own.policy)) own.drawn(row, axis) = u;
      own.places(row, axis) = std::clamp<T>(u, -1, 1);
    }
  }
}

// Fills P, p, q, g, h of glimpse t.
template <class T>
void Glimpse<T>::take_glimpse(Compute& compute, Matrix<const T> images, Index t, const GlimpseTrace<T>& own) const {
  const Index begin = t * images.size(0), end = begin + images.size(0);
  const auto of = [&](Matrix<T> all) { return all.slice(begin, end); };
  const auto bend = [&](Matrix<T> all) { activate<T>(compute.team, relu, of(all).flat(), of(all).flat()); };
  sensor_.read_patches<T>(compute.team, images, of(own.places), of(own.patches));
  what_.forward_into(compute, of(own.patches), of(own.what));
  where_.forward_into(compute, of(own.places), of(own.where));
  bend(own.what);
  bend(own.where);
  join_what_.forward_into(compute, of(own.what), of(own.glimpse));
  team_matmul(compute, plain(of(own.where)), transposed(join_where_.weight->matrix()), of(own.glimpse), Into::add);
  bend(own.glimpse);
  core_glimpse_.forward_into(compute, of(own.glimpse), of(own.hidden));
  if (t > 0)
    team_matmul(compute, plain(own.hidden.slice(begin - images.size(0), begin)),
                transposed(core_state_.weight->matrix()), of(own.hidden), Into::add);
  bend(own.hidden);
}

template <class T>
Trace<T> Glimpse<T>::forward_at(Compute& compute, const Batch& batch, const Pass& pass, Cube<const T> drawn) const {
  Trace<T> trace(batch, pass);
  GlimpseTrace<T> own;
  own.policy = policy_in(batch, pass);
  const Index B = batch.size, rows = glimpses_ * B, before_last = rows - B;
  const bool moves = by_state(own.policy);
  const Matrix<const T> images = matrix_of<T>(compute, batch.items);
  own.places = compute.array<T>(rows, 2);
  own.patches = compute.array<T>(rows, sensor_.width());
  own.what = compute.array<T>(rows, what_width_);
  own.where = compute.array<T>(rows, where_width_);
  own.glimpse = compute.array<T>(rows, glimpse_width_);
  own.hidden = compute.array<T>(rows, hidden_);
  if (moves) {
    own.drawn = compute.array<T>(rows, 2);
    own.means = compute.zeros<T>(rows, 2);
  }
  for (Index t = 0; t < glimpses_; ++t) {
    place(batch, pass, t, own, drawn);
    take_glimpse(compute, images, t, own);
    if (!moves || t + 1 == glimpses_) continue;
    const Matrix<T> means = own.means.slice((t + 1) * B, (t + 2) * B);
    location_.forward_into(compute, own.hidden.slice(t * B, (t + 1) * B), means);
    for (T& mean : means.flat()) mean *= static_cast<T>(pace_);
    activate<T>(compute.team, Activation::tanh(), means.flat(), means.flat());
  }

  if (pass.training) {
    trace.scores = classes_.forward(compute, own.hidden.slice(before_last, rows));
    trace.answers = batch.labels;
    own.d_scores = compute.array<T>(B, classes_.out);
    if (own.policy == GlimpsePolicy::learned && before_last > 0) {
      own.expected = baseline_.forward(compute, own.hidden.slice(0, before_last));
      own.rewards = compute.arena.take<T>(static_cast<std::size_t>(B));
      for (Index b = 0; b < B; ++b) {
        const auto i = static_cast<std::size_t>(b);
        own.rewards[i] = largest<T>(trace.scores[b].flat()) == batch.labels[i] ? T{1} : T{0};
      }
    }
  } else {
    const Matrix<T> said = classes_.forward(compute, own.hidden);
    trace.scores = compute.array<T>(rows, classes_.out);
    const std::span<int> answers = compute.arena.take<int>(static_cast<std::size_t>(rows));
    for (Index b = 0; b < B; ++b)
      for (Index t = 0; t < glimpses_; ++t) {
        const Index row = b * glimpses_ + t;
        std::ranges::copy(said[t * B + b].flat(), trace.scores[row].data());
        answers[static_cast<std::size_t>(row)] = t + 1 == glimpses_ ? batch.labels[static_cast<std::size_t>(b)] : -1;
      }
    trace.answers = answers;
    trace.attention = cover(compute, B, own);
  }
  trace.loss = cross_entropy<T>(compute, trace.scores, trace.answers, own.d_scores);
  trace.keep(compute, own);
  return trace;
}

template <class T>
Cube<T> Glimpse<T>::cover(Compute& compute, Index images, const GlimpseTrace<T>& own) const {
  const Cube<T> weights = compute.array<T>(images, Index{glimpses_}, sensor_.side * sensor_.side);
  compute.team.split(images, 16, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b)
      for (Index t = 0; t < glimpses_; ++t)
        sensor_.cover<T>(own.places(t * images + b, Index{0}), own.places(t * images + b, Index{1}), weights[b][t]);
  });
  return weights;
}

// REINFORCE and the baseline: what they give to the parameters, and M' dm to d_hidden (T B,H).
template <class T>
void Glimpse<T>::learn_where(Compute& compute, const GlimpseTrace<T>& own, Index images, Matrix<T> d_hidden) const {
  const Index rows = own.expected.size(0);
  const Matrix<T> dm = compute.array<T>(rows, 2), dv = compute.array<T>(rows, 1);
  const T of_policy = static_cast<T>(pace_ * reward_weight_ / (spread_ * spread_) / static_cast<double>(images));
  const T of_baseline = static_cast<T>(2 / static_cast<double>(rows));
  for (Index row = 0; row < rows; ++row) {
    const Index next = row + images;
    const T better = own.rewards[static_cast<std::size_t>(row % images)] - own.expected(row, Index{0});
    dv(row, Index{0}) = -of_baseline * better;
    for (Index axis = 0; axis < 2; ++axis) {
      const T mean = own.means(next, axis);
      dm(row, axis) = -of_policy * better * (own.drawn(next, axis) - mean) * (1 - mean * mean);
    }
  }
  const Matrix<T> hidden = own.hidden.slice(0, rows);
  baseline_.backward_parameters(compute, hidden, dv);
  location_.backward_parameters(compute, hidden, dm);
  location_.backward_input(compute, dm, d_hidden.slice(0, rows));
}

template <class T>
void Glimpse<T>::backward(Compute& compute, const Trace<T>& trace) const {
  const auto& own = trace.template own<GlimpseTrace<T>>();
  const Index B = trace.batch->size, rows = own.hidden.size(0), before_last = rows - B;
  const Matrix<T> dr = compute.zeros<T>(rows, hidden_);  // dh, and row by row dr
  classes_.backward_parameters(compute, own.hidden.slice(before_last, rows), own.d_scores);
  classes_.backward_input(compute, own.d_scores, dr.slice(before_last, rows));
  if (!own.expected.empty()) learn_where(compute, own, B, dr);
  for (Index begin = before_last; begin >= 0; begin -= B) {
    const Matrix<T> now = dr.slice(begin, begin + B);
    relu_backward(compute, own.hidden.slice(begin, begin + B), now);
    if (begin > 0) core_state_.backward_input(compute, now, dr.slice(begin - B, begin));
  }
  if (before_last > 0) core_state_.backward_parameters(compute, own.hidden.slice(0, before_last), dr.slice(B, rows));
  const Matrix<T> dg = core_glimpse_.backward(compute, own.glimpse, dr);
  relu_backward(compute, own.glimpse, dg);
  const Matrix<T> dp = join_what_.backward(compute, own.what, dg), dq = join_where_.backward(compute, own.where, dg);
  relu_backward(compute, own.what, dp);
  relu_backward(compute, own.where, dq);
  what_.backward_parameters(compute, own.patches, dp);
  where_.backward_parameters(compute, own.places, dq);
}

template class Glimpse<float>;
template class Glimpse<double>;

namespace {

const RegisterModel<Glimpse> glimpse_model("glimpse", "looks at parts of an image, and learns by trial where to look");

}  // namespace

}  // namespace fovea
