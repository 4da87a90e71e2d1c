#include "fovea/nn/optimizer/optimizer.h"

#include <algorithm>
#include <cmath>

#include "fovea/nn/simd/optimizer_kernels.h"

namespace fovea {

namespace {

constexpr std::size_t piece_size = 1 << 14;  // elements; a whole number of lines

}  // namespace

template <class T>
Optimizer<T>::Optimizer(ParameterSet<T>& parameters, const UpdateRule& rule, OptimizerSettings settings,
                        const std::vector<std::uint64_t>& names)
    : parameters_(parameters),
      rule_(rule),
      settings_(settings),
      parts_{{static_cast<std::size_t>(Group::body), 0}, {static_cast<std::size_t>(Group::attention), 0}} {
  const std::size_t size = parameters.values().size();
  const auto& all = parameters.all();
  const auto part_of = [&](std::size_t p) {
    return Part{static_cast<std::size_t>(all[p].group), names.empty() ? 0 : names[p]};
  };
  // Neighbours of one part make one stretch, padding included; stretches are cut into pieces of a fixed size.
  for (std::size_t p = 0, next; p < all.size(); p = next) {
    const Part part = part_of(p);
    for (next = p + 1; next < all.size() && part_of(next) == part;) ++next;
    if (!all[p].learns()) continue;
    const auto offset = [&](std::size_t at) {
      return at == all.size() ? size : static_cast<std::size_t>(all[at].value - parameters.values().data());
    };
    if (std::ranges::find(parts_, part) == parts_.end()) parts_.push_back(part);
    const auto number = static_cast<std::size_t>(std::ranges::find(parts_, part) - parts_.begin());
    for (std::size_t begin = offset(p), end = offset(next); begin < end; begin += piece_size)
      pieces_.push_back({begin, std::min(begin + piece_size, end), number});
  }
  sums_.resize(pieces_.size());
  part_steps_.resize(parts_.size());
  steps_.resize(parts_.size());
  if (rule.moments() > 0) first_ = Buffer<T>(size);
  if (rule.moments() > 1) second_ = Buffer<T>(size);
}

// The root of the sum of work(piece) over those that are not frozen.
template <class T>
template <class Work>
double Optimizer<T>::norm_of_pieces(Team& team, const Paces& paces, const Work& work) {
  team.each(static_cast<int>(pieces_.size()), [&](int i) {
    const Piece& p = pieces_[static_cast<std::size_t>(i)];
    sums_[static_cast<std::size_t>(i)] = parts_[p.part].frozen(paces) ? 0 : work(p);
  });
  double sum = 0;
  for (const double s : sums_) sum += s;
  return std::sqrt(sum);
}

template <class T>
double Optimizer<T>::step(Team& team, double rate, const Paces& paces) {
  const T* gradient = parameters_.gradients().data();
  double scale = 1;
  const bool normalize = settings_.normalize.value_or(false);
  if (settings_.clip > 0 || normalize) {
    const double norm = norm_of_pieces(team, paces, [&](const Piece& p) {
      return optimizer_kernels::sum_of_squares(gradient + p.begin, p.end - p.begin);
    });
    if (normalize) scale = norm > 0 ? 1 / norm : 0;
    else scale = std::min(1.0, settings_.clip / (norm + 1e-6));
  }

  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].frozen(paces)) continue;
    part_steps_[i] = {rate * paces.groups[parts_[i].group].rate, static_cast<double>(++steps_[i]),
                      settings_.weight_decay, scale};
  }
  T* const weight = parameters_.values().data();
  T* const first = first_.span().data();
  T* const second = second_.span().data();
  return norm_of_pieces(team, paces, [&](const Piece& p) {
    return rule_.update(part_steps_[p.part],
                        WeightStretch<T>{gradient + p.begin, weight + p.begin, first ? first + p.begin : nullptr,
                                         second ? second + p.begin : nullptr, p.end - p.begin});
  });
}

template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace fovea
