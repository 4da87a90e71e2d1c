#include "fovea/nn/optimizer/optimizer.h"

#include <algorithm>
#include <cmath>

#include "fovea/nn/simd/optimizer_kernels.h"

namespace fovea {

namespace {

constexpr std::size_t piece_size = 1 << 14;  // elements; a whole number of lines

}  // namespace

template <class T>
Optimizer<T>::Optimizer(ParameterSet<T>& parameters, OptimizerSettings settings)
    : parameters_(parameters), settings_(settings) {
  const std::size_t size = parameters.values().size();
  const auto& all = parameters.all();
  // Neighbours of one group make one stretch, padding included; stretches are cut into pieces of a fixed size.
  for (auto p = all.begin(); p != all.end();) {
    const auto next = std::find_if(p, all.end(), [p](const Param<T>& q) { return q.group != p->group; });
    const auto offset = [&](auto at) {
      return at == all.end() ? size : static_cast<std::size_t>(at->value - parameters.values().data());
    };
    if (p->group != Group::statistics)
      for (std::size_t begin = offset(p), end = offset(next); begin < end; begin += piece_size)
        pieces_.push_back({begin, std::min(begin + piece_size, end), static_cast<std::size_t>(p->group)});
    p = next;
  }
  sums_.resize(pieces_.size());
  const bool adam = settings.kind != OptimizerSettings::Kind::sgd;
  if (adam || settings.momentum != 0) first_ = Buffer<T>(size);
  if (adam) second_ = Buffer<T>(size);
}

template <class T>
double Optimizer<T>::gradient_norm(Team& team, const Paces& paces) {
  const T* gradient = parameters_.gradients().data();
  team.each(static_cast<int>(pieces_.size()), [&](int i) {
    const Piece& p = pieces_[static_cast<std::size_t>(i)];
    sums_[static_cast<std::size_t>(i)] =
        paces[p.group].frozen ? 0 : optimizer_kernels::sum_of_squares(gradient + p.begin, p.end - p.begin);
  });
  double sum = 0;
  for (const double s : sums_) sum += s;
  return std::sqrt(sum);
}

template <class T>
double Optimizer<T>::step(Team& team, double rate, const Paces& paces) {
  using Kind = OptimizerSettings::Kind;
  const OptimizerSettings& s = settings_;
  const double norm = s.clip > 0 ? gradient_norm(team, paces) : 0;
  const double scale = s.clip > 0 ? std::min(1.0, s.clip / (norm + 1e-6)) : 1;

  std::array<optimizer_kernels::Adam<T>, 2> adam{};
  std::array<optimizer_kernels::Sgd<T>, 2> sgd{};
  for (std::size_t g = 0; g < 2; ++g) {
    if (paces[g].frozen) continue;
    ++steps_[g];
    const double group_rate = rate * paces[g].rate, t = static_cast<double>(steps_[g]);
    sgd[g] = {static_cast<T>(group_rate), static_cast<T>(s.momentum), static_cast<T>(s.weight_decay),
              static_cast<T>(scale)};
    const bool apart = s.kind == Kind::adamw;  // decay apart from the gradient
    adam[g] = {static_cast<T>(group_rate / (1 - std::pow(s.beta1, t))),
               static_cast<T>(1 / std::sqrt(1 - std::pow(s.beta2, t))),
               static_cast<T>(s.beta1),
               static_cast<T>(s.beta2),
               static_cast<T>(s.epsilon),
               static_cast<T>(apart ? 0 : s.weight_decay),
               static_cast<T>(apart ? 1 - group_rate * s.weight_decay : 1),
               static_cast<T>(scale)};
  }
  T* weight = parameters_.values().data();
  const T* gradient = parameters_.gradients().data();
  T* first = first_.span().data();
  T* second = second_.span().data();
  team.each(static_cast<int>(pieces_.size()), [&](int i) {
    const Piece& p = pieces_[static_cast<std::size_t>(i)];
    if (paces[p.group].frozen) return;
    const std::size_t n = p.end - p.begin;
    if (s.kind == Kind::sgd)
      optimizer_kernels::sgd(sgd[p.group], gradient + p.begin, weight + p.begin, first ? first + p.begin : nullptr, n);
    else
      optimizer_kernels::adam(adam[p.group], gradient + p.begin, weight + p.begin, first + p.begin, second + p.begin,
                              n);
  });
  return norm;
}

template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace fovea
