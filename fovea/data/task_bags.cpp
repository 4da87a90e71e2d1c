// The training examples of a task as bags: task_bags() of data/bag_source.h (room data). Predictions
// (lab/analysis/predicted_attention.cpp) call it.
#include <algorithm>
#include <atomic>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/data/bag_source.h"

namespace fovea {

namespace {

class TaskBags final : public BagSource {
 public:
  TaskBags(const Task& task, std::int64_t fresh) : task_(task), shape_(task.shape()) {
    if (shape_.kind != Kind::labelled_tokens && shape_.kind != Kind::token_pairs) {
      throw wrong_input("a prediction needs words, and the task has none",
                        "use a task of words, such as copy or keyword");
    }
    if (fresh < 1) throw wrong_input("a prediction needs at least one example", "draw more");
    const std::int64_t finite = task.examples(Split::train);
    size_ = finite > 0 ? finite : fresh;
    // Of finite data one epoch is read, an example a batch, so that none is seen twice.
    batch_ = finite > 0 ? 1 : static_cast<int>(std::min<std::int64_t>(256, fresh));
  }

  Outputs outputs_are() const override { return pairs() ? Outputs::words : Outputs::classes; }
  int inputs() const override { return shape_.vocab; }
  int outputs() const override { return pairs() ? shape_.target_vocab : shape_.classes; }
  std::string input_word(int id) const override { return task_.word(id); }
  std::string output_word(int id) const override { return pairs() ? task_.target_word(id) : task_.class_name(id); }
  std::int64_t size() const override { return size_; }
  std::vector<std::string> cut(std::string_view text) const override { return task_.cut(text); }

  void each(Team& team, const Visit& visit, const Progress& progress) const override {
    const std::int64_t batches = (size_ + batch_ - 1) / batch_;
    const int workers = team.threads();
    std::vector<Batch> scratch(static_cast<std::size_t>(workers));
    std::atomic<bool> ended = false;  // by whoever is told of the progress: nobody goes on then
    team.each(workers, [&](int worker) {
      Batch& batch = scratch[static_cast<std::size_t>(worker)];
      std::vector<int> input, output;
      for (std::int64_t b = worker; b < batches && !ended; b += workers) {
        task_.batch(Split::train, static_cast<std::uint64_t>(b), batch_, batch);
        const std::int64_t rows = std::min<std::int64_t>(batch.size, size_ - b * batch_);
        for (int row = 0; row < rows; ++row) {
          take(batch.source, row, input);
          if (pairs()) take(batch.target, row, output);
          else output.assign(1, batch.labels[static_cast<std::size_t>(row)]);
          visit(worker, {b * batch_ + row, input, output});
        }
        if (!progress || worker != 0) continue;
        try {
          progress(std::min(size_, b * batch_), size_);
        } catch (...) {
          ended = true;
          throw;
        }
      }
    });
  }

 private:
  bool pairs() const { return shape_.kind == Kind::token_pairs; }

  void take(const Tokens& tokens, int row, std::vector<int>& words) const {
    words.clear();
    for (int l = 0; l < tokens.lengths[static_cast<std::size_t>(row)]; ++l) {
      const int id = tokens.at(row, l);
      if (id >= 0 && id != shape_.start_token && id != shape_.end_token) words.push_back(id);
    }
  }

  const Task& task_;
  TaskShape shape_;
  std::int64_t size_ = 0;
  int batch_ = 1;
};

}  // namespace

std::unique_ptr<BagSource> task_bags(const Task& task, std::int64_t fresh) {
  return std::make_unique<TaskBags>(task, fresh);
}

}  // namespace fovea
