#include "fovea/lab/train/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <type_traits>

#include "fovea/base/error/error.h"
#include "fovea/lab/spec/train_settings.h"

namespace fovea {

namespace {

template <class Memory>
bool is_held_elsewhere(const std::shared_ptr<Memory>& memory) {
  return memory.use_count() > 1;
}

template <class T>
bool finite(std::span<const T> values) {
  return std::all_of(values.begin(), values.end(), [](T x) { return std::isfinite(x); });
}

std::string calmer(std::int64_t step) {
  return step > 0 ? "lower train.rate, or limit the gradient by train.clip"
                  : "numbers of the task, or of the model's start, are too large: scale them down";
}

std::string loss_text(double loss) { return std::isnan(loss) ? "not a number" : "infinite"; }

}  // namespace

template <class T>
Workspace<T>::Workspace(ResolvedRun& run)
    : team_(run.train().threads),
      products_(run.train().products()),
      task_(run.task()),
      shape_(run.shape()),
      model_(run.model<T>()),
      parameters_(run.parameters<T>()) {}

template <class T>
Batch& Workspace<T>::next_batch(Split split, std::uint64_t step, int size) {
  if (is_held_elsewhere(batch_)) batch_ = std::make_shared<Batch>();
  task_.batch(split, step, size, *batch_);
  return *batch_;
}

template <class T>
Compute Workspace<T>::fresh_memory() {
  if (is_held_elsewhere(arena_)) arena_ = std::make_shared<Arena>();
  arena_->reset();
  return {*arena_, team_, Gradients::all, products_};
}

template <class T>
std::vector<WeightRecord> Workspace<T>::weights() const {
  std::vector<WeightRecord> all;
  for (const Param<T>& p : parameters_->all()) {
    const auto bytes = std::as_bytes(p.values());
    all.push_back({p.name, p.shape, std::is_same_v<T, float> ? "F32" : "F64", {bytes.begin(), bytes.end()}});
  }
  return all;
}

// The first parameter in the order of the forward pass is where it went wrong.
template <class T>
void Workspace<T>::refuse_loss(double loss, std::int64_t step) const {
  for (const Param<T>& p : parameters_->all())
    if (!finite<T>(p.values()))
      throw failure(
          fmt::format("at step {} the loss is {}: parameter '{}' is no longer finite", step, loss_text(loss), p.name),
          calmer(step));
  throw failure(fmt::format("at step {} the loss is {}", step, loss_text(loss)), calmer(step));
}

// Backward runs from the last layer to the first: the last one hit is where it arose.
template <class T>
void Workspace<T>::refuse_gradient(std::int64_t step) const {
  const auto& all = parameters_->all();
  const auto hit = std::find_if(all.rbegin(), all.rend(), [](const Param<T>& p) { return !finite<T>(p.gradients()); });
  if (hit == all.rend())
    throw failure(fmt::format("at step {} the norm of the gradient is not finite", step), calmer(step));
  throw failure(fmt::format("at step {} the gradient of parameter '{}' is not finite", step, hit->name), calmer(step));
}

template class Workspace<float>;
template class Workspace<double>;

}  // namespace fovea
