// TokenTexts: texts as tokens in memory, and the examples of each training batch (room data/text). The tasks on texts
// (data/tasks/given_texts.cpp, data/tasks/files) use it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/data/batch.h"
#include "fovea/data/task.h"

namespace fovea {

// Sequences, one behind the other.
class TokenTexts {
 public:
  void begin() { begins_.push_back(ids_.size()); }
  void token(int id) { ids_.push_back(id); }
  // The last one, as if it had not been begun.
  void drop() {
    ids_.resize(begins_.back());
    begins_.pop_back();
  }

  int count() const { return static_cast<int>(begins_.size()); }
  std::span<const int> operator[](int i) const {
    const auto at = static_cast<std::size_t>(i);
    const std::size_t end = at + 1 < begins_.size() ? begins_[at + 1] : ids_.size();
    return {ids_.data() + begins_[at], end - begins_[at]};
  }
  std::vector<int>& ids() { return ids_; }

  void shrink() {
    ids_.shrink_to_fit();
    begins_.shrink_to_fit();
  }

 private:
  std::vector<int> ids_;
  std::vector<std::size_t> begins_;
};

// Fills `examples` with those of training batch `step`: shuffled epochs, each example once in each. With `alike`,
// batches are made of texts of like length: some batches' worth of the epoch at a time are sorted by length and cut,
// and the batches taken in a shuffled order. A pure function of its arguments.
struct BatchOrder {
  std::uint64_t seed = 0;
  std::string purpose;
  bool alike = true;
};
void batch_examples(const BatchOrder& order, const TokenTexts& texts, std::uint64_t step, int size,
                    std::vector<int>& examples);

// Those of a batch of any split: of the training split as above, of the others slice by slice.
void split_examples(const BatchOrder& order, const TokenTexts& texts, Split split, std::uint64_t step, int size,
                    std::vector<int>& examples);

// Writes sequences `examples` of `texts` into `tokens`.
void fill_tokens(const TokenTexts& texts, std::span<const int> examples, Tokens& tokens);

// Texts with the number of a class each.
struct LabelledTexts {
  TokenTexts tokens;
  std::vector<int> labels;
};

// Texts to look at are taken from the first on. Where they stand sorted by class, as a folder for each class has them,
// the first would be of one class alone: then they get a random order, always the same.
void mix_if_sorted(LabelledTexts& texts);

// A batch of them as a task gives it.
void fill_labelled(const LabelledTexts& texts, const BatchOrder& order, Split split, std::uint64_t step, int size,
                   Batch& batch);

// What was loaded last stays in memory: checking a spec and training it, or the runs of a sweep, load it once.
template <class Loaded>
class LastLoaded {
 public:
  std::shared_ptr<const Loaded> get(const std::string& key, const std::function<Loaded()>& load) {
    const std::lock_guard lock(mutex_);
    if (!loaded_ || key != key_) {
      loaded_.reset();
      loaded_ = std::make_shared<const Loaded>(load());
      key_ = key;
    }
    return loaded_;
  }

 private:
  std::mutex mutex_;
  std::string key_;
  std::shared_ptr<const Loaded> loaded_;
};

}  // namespace fovea
