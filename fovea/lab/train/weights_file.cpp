#include "fovea/lab/train/weights_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <string_view>

#include "fovea/base/error/error.h"
#include "fovea/io/sha256.h"

namespace fovea {

namespace {

// By step. Other tensors are passed over.
std::map<std::int64_t, std::vector<Tensor>> by_step(std::span<const Tensor> tensors) {
  std::map<std::int64_t, std::vector<Tensor>> found;
  for (const Tensor& tensor : tensors) {
    if (!is_of_checkpoint(tensor.name)) continue;
    const std::size_t slash = tensor.name.find('/');
    std::int64_t step = 0;
    std::from_chars(tensor.name.data(), tensor.name.data() + slash, step);
    found[step].push_back({tensor.name.substr(slash + 1), tensor.type, tensor.shape, tensor.bytes});
  }
  return found;
}

std::string digest_of(const std::vector<Tensor>& weights) {
  std::vector<const Tensor*> sorted;
  for (const Tensor& tensor : weights) sorted.push_back(&tensor);
  std::ranges::sort(sorted, {}, &Tensor::name);
  Sha256 sum;
  for (const Tensor* const tensor : sorted)
    sum.add({reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size()});
  return sum.hex();
}

constexpr std::string_view digest_front = "sha256 ";

std::string digest_key(std::int64_t step) { return fmt::format("{}{}", digest_front, step); }

}  // namespace

std::string checkpoint_name(std::int64_t step, const std::string& name) { return fmt::format("{}/{}", step, name); }

bool is_of_checkpoint(const std::string& name) {
  const std::size_t digits = name.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string::npos && name[digits] == '/';
}

bool is_digest(const std::string& key) { return key.starts_with(digest_front); }

std::string weights_file(const RunRecord& run, const std::string& hash) {
  std::vector<Tensor> tensors;
  for (const WeightRecord& weight : run.weights)
    tensors.push_back({weight.name, weight.type, weight.shape, weight.bytes});
  std::map<std::string, std::string> metadata{
      {"format", "pt"},  // laid out as PyTorch lays parameters out; some readers want to be told
      {"hash", hash},
      {"experiment", run.experiment},
      {"seed", std::to_string(run.spec.seed)},
      {"spec", run.spec.text()},
      {"version", run.version},
      {"arithmetic", std::to_string(run.arithmetic)}};
  for (const auto& [step, weights] : by_step(tensors)) metadata[digest_key(step)] = digest_of(weights);
  return safetensors(tensors, metadata);
}

std::vector<KeptCheckpoint> checkpoints_in(const TensorFile& file) {
  std::vector<KeptCheckpoint> all;
  for (auto& [step, weights] : by_step(file.tensors())) {
    std::string digest = digest_of(weights);
    const auto said = file.metadata().find(digest_key(step));
    if (said == file.metadata().end() || said->second != digest)
      throw failure(fmt::format("the kept weights of step {} do not have their digest", step), "train the run again");
    all.push_back({step, std::move(digest), std::move(weights)});
  }
  return all;
}

}  // namespace fovea
