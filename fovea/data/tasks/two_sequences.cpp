// Task `two-sequences`: a few labelled token sequences, which are all of the data (room data/tasks). lab/spec makes
// it by name for a run. It reads its settings and seed only. The default is the two sequences of the toy gate.
#include <algorithm>
#include <charconv>

#include "fovea/base/registry.h"
#include "fovea/data/task.h"

namespace fovea {

namespace {

class TwoSequences : public Task {
 public:
  void settings(Fields& fields) override {
    fields.texts("sequences", sequences_, "token ids of each sequence, with spaces between them");
    fields.integers("labels", labels_, 0, 1, "class of each sequence: 0 negative, 1 positive");
  }

  void prepare(std::uint64_t) override;
  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::labelled_tokens;
    shape.vocab = vocab_;
    shape.classes = 2;
    return shape;
  }
  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override;
  std::int64_t examples(Split) const override { return static_cast<std::int64_t>(sequences_.size()); }
  std::string class_name(int label) const override { return label == 1 ? "positive" : "negative"; }

 private:
  std::vector<std::string> sequences_ = {"0 0", "0 1"};
  std::vector<int> labels_ = {0, 1};

  std::vector<std::vector<int>> ids_;
  std::vector<std::uint8_t> tells_;  // (vocab) 1 where the token stands in sequences of one class only
  int vocab_ = 0;
  int longest_ = 0;
};

std::vector<int> parse_ids(const std::string& text) {
  constexpr int most = 1'000'000;
  std::vector<int> ids;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    while (at != end && *at == ' ') ++at;
    if (at == end) break;
    int id = -1;
    const auto [rest, error] = std::from_chars(at, end, id);
    if (error != std::errc() || (rest != end && *rest != ' ') || id < 0 || id >= most) {
      throw wrong_input("task 'two-sequences' cannot read the sequence '" + text + "'",
                        "write token ids, whole numbers from 0, with spaces between them: \"0 1\"");
    }
    ids.push_back(id);
    at = rest;
  }
  if (ids.empty())
    throw wrong_input("task 'two-sequences' has an empty sequence", "write at least one token id: \"0 1\"");
  return ids;
}

void TwoSequences::prepare(std::uint64_t) {
  if (sequences_.empty() || sequences_.size() != labels_.size()) {
    throw wrong_input("task.sequences has length " + std::to_string(sequences_.size()) +
                          ", and task.labels has length " + std::to_string(labels_.size()),
                      "give one label to each sequence");
  }
  for (const std::string& text : sequences_) {
    ids_.push_back(parse_ids(text));
    longest_ = std::max(longest_, static_cast<int>(ids_.back().size()));
    vocab_ = std::max(vocab_, *std::max_element(ids_.back().begin(), ids_.back().end()) + 1);
  }
  std::vector<std::uint8_t> seen(static_cast<std::size_t>(vocab_), 0);  // a bit a class
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    for (const int id : ids_[i]) seen[static_cast<std::size_t>(id)] |= static_cast<std::uint8_t>(1 << labels_[i]);
  }
  for (const std::uint8_t classes : seen) tells_.push_back(classes == 1 || classes == 2);
}

void TwoSequences::batch(Split split, std::uint64_t step, int size, Batch& batch) const {
  const auto count = static_cast<std::uint64_t>(ids_.size());
  const auto wanted = static_cast<std::uint64_t>(size);
  const std::uint64_t first = step * wanted;
  // Training goes round and round the sequences; the other splits hold each once.
  const std::uint64_t rows = split == Split::train ? wanted : first >= count ? 0 : std::min(wanted, count - first);
  batch.size = static_cast<int>(rows);
  batch.source.resize(batch.size, longest_);
  batch.labels.resize(static_cast<std::size_t>(rows));
  batch.marked.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(longest_), 0);
  for (int b = 0; b < batch.size; ++b) {
    const auto example = static_cast<std::size_t>((first + static_cast<std::uint64_t>(b)) % count);
    const std::vector<int>& ids = ids_[example];
    batch.source.lengths[static_cast<std::size_t>(b)] = static_cast<int>(ids.size());
    batch.labels[static_cast<std::size_t>(b)] = labels_[example];
    for (int l = 0; l < static_cast<int>(ids.size()); ++l) {
      const int id = ids[static_cast<std::size_t>(l)];
      batch.source.at(b, l) = id;
      batch.marked[static_cast<std::size_t>(b) * static_cast<std::size_t>(longest_) + static_cast<std::size_t>(l)] =
          tells_[static_cast<std::size_t>(id)];
    }
  }
}

const Register<Task> two_sequences("two-sequences",
                                   "{0,0} is negative and {0,1} is positive, or sequences that you give",
                                   [] { return std::make_unique<TwoSequences>(); });

}  // namespace

}  // namespace fovea
