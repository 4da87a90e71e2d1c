// Model `glimpse` (room model/glimpse): recurrent visual attention over B images of n x n pixels, with T glimpses
// each. lab/spec makes it by name for a run. It writes only traces and gradients. The network sees an image only
// through its glimpses. After each glimpse it chooses the position of the next. Forward, for t = 1 .. T:
//
//   P_t = patches of the image around l_t                                   P (T,B,S k²), l (T,B,2): sensor.h
//   p_t = relu(A P_t + a)           q_t = relu(C l_t + c)                   p (T,B,U), q (T,B,Q): what, and where
//   g_t = relu(D p_t + E q_t + d)                                           g (T,B,G)
//   h_t = relu(F g_t + f + R h_{t-1})           h_0 = 0                     h (T,B,H)
//   μ_{t+1} = tanh(κ (M h_t + m))                                           μ (T,B,2): where "learned" would be
//   u_{t+1} ~ N(μ_{t+1}, σ² I) in training, u = μ in evaluation             u (T,B,2)
//   l = u, cut off at the borders -1 and 1
//   z_t = W h_t + w                                                         z (B,T,classes), in training z_T alone
//   v_t = V h_t + v,  t < T                                                 v (T-1,B): what reward to expect
//   reward_b = 1 where the largest of z_bT is the label, else 0
//   loss = 1/B Σ_b cross-entropy(z_bT, label_b)
//
// l_1 is uniform over the image, or its centre (`first`). The positions depend on the policy:
//   "learned"      l follows μ
//   "unrewarded"   l follows μ, and M and m keep their initial values: the value of untrained positions
//   "random"       all l_t are uniform; also if attention is held uniform
//   "centre"       all l_t are the centre
// If attention is held at the truth, all l_t are the middle of the pixels in batch.marked. Random numbers are from
// RandomStream(seed, "glimpse.train" or "glimpse.look", step, row).
//
// κ is `pace`: M and m start 1/κ times as large as other layers. So μ starts unchanged, and moves κ times as fast
// under an optimiser whose steps do not depend on the size of the gradient. Reward is noisy: positions that move as
// fast as the other parameters reach the border before the reward shows which positions are good.
//
// Backward is the gradient of a hybrid of three terms: the cross-entropy, through everything but l; REINFORCE, which
// increases the expected reward; and the squared error of the baseline, which changes V and v alone:
//
//   loss - λ/B Σ_b Σ_{t<T} (reward_b - v_bt) log N(u_b,t+1; μ_b,t+1, σ² I) + 1/(B(T-1)) Σ_b Σ_{t<T} (reward_b - v_bt)²
//
// where reward - v in the second term is a constant. If no random position is rewarded (every policy but "learned",
// every hold), only the first term exists. The expected gradient of the second term is the gradient of -λ E[reward];
// v only reduces its noise.
//
//   dμ_{t+1} = -λ/B (reward - v_t) (u_{t+1} - μ_{t+1}) / σ²           dm_{t+1} = κ dμ_{t+1} ⊙ (1 - μ_{t+1}²)
//   dv_t     = 2/(B(T-1)) (v_t - reward)                              dh of it: none
//   dh_t     = [t = T] Wᵀ dz_T + Mᵀ dm_{t+1} + Rᵀ dr_{t+1}            dr_t = dh_t where h_t > 0, else 0
//   dg_t     = Fᵀ dr_t where g_t > 0, else 0
//   dp_t     = Dᵀ dg_t where p_t > 0, else 0                          dq_t = Eᵀ dg_t where q_t > 0, else 0
//   dA = Σ dp_t P_tᵀ    dC = Σ dq_t l_tᵀ    dD = Σ dg_t p_tᵀ    dE = Σ dg_t q_tᵀ    dF = Σ dr_t g_tᵀ
//   dR = Σ dr_t h_{t-1}ᵀ    dM = Σ dm_{t+1} h_tᵀ    dV = Σ dv_t h_tᵀ    dW = dz_T h_Tᵀ
//
// with sums over images and glimpses. Offsets have 1 in place of the second factor.
//
// Scores are rows of z: in evaluation T for each image, and only the last has an answer. The map "attention" exists
// in evaluation alone. It has a row for each glimpse, with equal weights on the pixels of the sharp patch, (B,T,n²).
#pragma once

#include <array>

#include "fovea/model/glimpse/sensor.h"
#include "fovea/model/model.h"
#include "fovea/model/random_draws.h"
#include "fovea/nn/linear.h"

namespace fovea {

enum class GlimpsePolicy { learned, unrewarded, random, centre, truth };

// The arrays of one forward pass. Rows of glimpse t follow the rows of glimpse t-1: row t B + b, t from 0.
template <class T>
struct GlimpseTrace {
  GlimpsePolicy policy = GlimpsePolicy::learned;
  Matrix<T> places, patches;               // l (T B,2), P (T B,S k²)
  Matrix<T> what, where, glimpse, hidden;  // p, q, g, h
  Matrix<T> drawn, means;  // u, μ (T B,2) if positions follow μ; the rows of the first glimpse are undefined
  Matrix<T> expected;      // v ((T-1) B,1), in training; empty if no random position is rewarded
  std::span<T> rewards;    // (B), as expected
  Matrix<T> d_scores;      // (B,classes), in training
};

template <class T>
class Glimpse final : public Model<T>, public HasDraws {
 public:
  void settings(Fields& fields) override;
  Kind takes() const override { return Kind::labelled_vectors; }
  AttentionMeaning attention_meaning() const override { return {AttentionRows::glimpse, AttentionColumns::pixel}; }
  typename Model<T>::Attends attends(const Batch&) const override {
    return by_state(policy_) ? Model<T>::Attends::by_score : Model<T>::Attends::evenly;
  }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override;
  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override {
    return forward_at(compute, batch, pass, {});
  }
  void backward(Compute& compute, const Trace<T>& trace) const override;
  // (T,B,2): the places of glimpses that go anywhere or to one place; of those that follow μ, the first place and then
  // (u - μ) / σ
  Cube<double> draws(Compute& compute, const Batch& batch, const Pass& pass) const override;

  // Uses these positions (T,B,2) instead of random ones. Empty: positions are drawn.
  Trace<T> forward_at(Compute& compute, const Batch& batch, const Pass& pass, Cube<const T> drawn) const;

 private:
  // Whether the state determines the positions of glimpses.
  static bool by_state(GlimpsePolicy policy) {
    return policy == GlimpsePolicy::learned || policy == GlimpsePolicy::unrewarded;
  }
  GlimpsePolicy policy_in(const Batch& batch, const Pass& pass) const;
  std::array<double, 2> draw(const Batch& batch, const Pass& pass, GlimpsePolicy policy, Index t, Index b) const;
  void place(const Batch& batch, const Pass& pass, Index t, const GlimpseTrace<T>& own, Cube<const T> drawn) const;
  void take_glimpse(Compute& compute, Matrix<const T> images, Index t, const GlimpseTrace<T>& own) const;
  Cube<T> cover(Compute& compute, Index images, const GlimpseTrace<T>& own) const;
  void learn_where(Compute& compute, const GlimpseTrace<T>& own, Index images, Matrix<T> d_hidden) const;

  int glimpses_ = 7, patch_ = 8, scales_ = 1;
  int what_width_ = 128, where_width_ = 128, glimpse_width_ = 256, hidden_ = 256;
  double spread_ = 0.15, reward_weight_ = 0.1, pace_ = 0.1;
  GlimpsePolicy policy_ = GlimpsePolicy::learned;
  enum class First { random, centre } first_ = First::random;

  GlimpseSensor sensor_;
  Linear<T> what_, where_, join_what_, join_where_;  // A a, C c, D d, E
  Linear<T> core_glimpse_, core_state_, classes_;    // F f, R, W w
  Linear<T> location_, baseline_;                    // M m if positions follow μ; V v of policy "learned"
};

}  // namespace fovea
