#include "fovea/lab/ranks/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "fovea/base/error/error.h"
#include "fovea/data/batch_rows.h"

namespace fovea {

namespace {

int share(int count, const Ranks* ranks) {
  if (!ranks) return count;
  if (count % ranks->size() == 0) return count / ranks->size();
  throw wrong_input(fmt::format("{} ranks cannot share {} shards of a batch evenly", ranks->size(), count),
                    "start a number of ranks that divides train.shards, or change train.shards");
}

}  // namespace

template <class T>
Shards<T>::Shards(int count, Ranks* ranks, Kind kind, ParameterSet<T>& parameters)
    : count_(count),
      own_(share(count, ranks)),
      begin_(ranks ? ranks->rank() * own_ : 0),
      ranks_(ranks),
      parameters_(parameters) {
  if (kind == Kind::points)
    throw wrong_input("train.data_parallel cannot divide a batch: " + kind_name(kind) + " are one example",
                      "train the run without data_parallel");
  for (const Param<T>& p : parameters.all())
    if (p.group == Group::statistics)
      throw wrong_input("train.data_parallel does not work with parameters that no gradient changes ('" + p.name + "')",
                        "train the run without data_parallel");
  tallies_.resize(static_cast<std::size_t>(count_));
  mine_.resize(static_cast<std::size_t>(own_) * stride());
  if (ranks_) all_.resize(static_cast<std::size_t>(count_) * stride());
}

template <class T>
std::size_t Shards<T>::stride() const {
  const std::size_t bytes = parameters_.gradients().size_bytes() + sizeof(Tally);
  return (bytes + 7) / 8 * 8;
}

template <class T>
void Shards<T>::put(std::byte* place, const Tally& tally) const {
  std::memcpy(place, &tally, sizeof tally);
  std::memcpy(place + sizeof tally, parameters_.gradients().data(), parameters_.gradients().size_bytes());
}

template <class T>
double Shards<T>::gradient(Compute& compute, Model<T>& model, const Batch& batch, const Pass& pass, bool stop) {
  for (int i = 0; i < own_; ++i) {
    const int shard = begin_ + i;
    const auto cut = [&](int at) { return static_cast<int>(static_cast<std::int64_t>(batch.size) * at / count_); };
    take_rows(batch, cut(shard), cut(shard + 1), part_);
    parameters_.clear_gradients(compute.team);
    Tally tally;
    tally.stop = stop;
    if (part_.size > 0) {
      compute.arena.reset();
      Pass own = pass;  // a shard has dropout of its own
      own.step = pass.step * static_cast<std::uint64_t>(count_) + static_cast<std::uint64_t>(shard);
      own.rules.first_stream += cut(shard);  // and the noise of the whole batch
      const Trace<T> trace = model.forward(compute, part_, own);
      tally.loss = trace.loss;
      tally.counted = static_cast<double>(
          std::count_if(trace.answers.begin(), trace.answers.end(), [](int answer) { return answer >= 0; }));
      model.backward(compute, trace);
    }
    put(mine_.data() + static_cast<std::size_t>(i) * stride(), tally);
  }
  if (ranks_) ranks_->gather(mine_, all_);
  return sum();
}

template <class T>
double Shards<T>::sum() {
  const std::byte* const shards = ranks_ ? all_.data() : mine_.data();
  double counted = 0, loss = 0;
  stopped_ = false;
  for (std::size_t i = 0; i < tallies_.size(); ++i) {
    std::memcpy(&tallies_[i], shards + i * stride(), sizeof(Tally));
    counted += tallies_[i].counted;
    stopped_ |= tallies_[i].stop != 0;
  }
  parameters_.clear_gradients();
  const std::span<T> gradients = parameters_.gradients();
  for (std::size_t i = 0; i < tallies_.size(); ++i) {
    const double share = tallies_[i].counted / std::max(counted, 1.0);
    loss += share * tallies_[i].loss;
    const T scale = static_cast<T>(share);
    const T* const part = reinterpret_cast<const T*>(shards + i * stride() + sizeof(Tally));
    for (std::size_t k = 0; k < gradients.size(); ++k) gradients[k] += scale * part[k];
  }
  return loss;
}

template <class T>
void Shards<T>::agree_on_start(std::int64_t step) const {
  if (!ranks_) return;
  std::vector<std::int64_t> starts(static_cast<std::size_t>(ranks_->size()));
  ranks_->gather(std::as_bytes(std::span(&step, 1)), std::as_writable_bytes(std::span(starts)));
  for (std::size_t rank = 0; rank < starts.size(); ++rank)
    if (starts[rank] != starts[0])
      throw failure(fmt::format("rank {} begins at step {} and rank 0 at step {}: they do not see the same checkpoint",
                                rank, starts[rank], starts[0]),
                    Remedy::share_folder());
}

template class Shards<float>;
template class Shards<double>;

}  // namespace fovea
