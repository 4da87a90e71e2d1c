#include "fovea/data/text/given_bags.h"

#include <set>
#include <utility>

#include "fovea/data/text/labelled_source.h"
#include "fovea/data/text/word_counts.h"

namespace fovea {

namespace {

constexpr std::size_t most_given_kinds = 1'000'000;

class GivenBags final : public BagSource {
 public:
  explicit GivenBags(GivenTextBags given)
      : classes_(given.outputs_are == Outputs::classes), cut_(std::move(given.cut)) {
    inputs_ = by_frequency(given.inputs);
    outputs_ = classes_ ? labels_of(given.outputs) : by_frequency(given.outputs);
    input_ids_ = ids_of(given.inputs, inputs_);
    output_ids_ = ids_of(given.outputs, outputs_);
  }

  Outputs outputs_are() const override { return classes_ ? Outputs::classes : Outputs::words; }
  int inputs() const override { return static_cast<int>(inputs_.size()); }
  int outputs() const override { return static_cast<int>(outputs_.size()); }
  std::string input_word(int id) const override { return inputs_[static_cast<std::size_t>(id)]; }
  std::string output_word(int id) const override { return outputs_[static_cast<std::size_t>(id)]; }
  std::int64_t size() const override { return std::ssize(input_ids_); }
  std::vector<std::string> cut(std::string_view text) const override { return cut_(text); }
  void each(Team& team, const Visit& visit, const Progress& progress) const override {
    const auto count = std::ssize(input_ids_);
    team.each(team.threads(), [&](int worker) {
      for (auto i = static_cast<std::ptrdiff_t>(worker); i < count; i += team.threads()) {
        const auto at = static_cast<std::size_t>(i);
        visit(worker, {i, input_ids_[at], output_ids_[at]});
      }
    });
    if (progress) progress(count, count);
  }

 private:
  static std::vector<std::string> by_frequency(const WordLists& texts) {
    std::unordered_map<std::string_view, std::int64_t> counts;
    for (const auto& text : texts)
      for (const std::string& word : text) ++counts[word];
    WordCounts counter(most_given_kinds);
    counter.add(counts);
    return counter.words();
  }

  static std::vector<std::string> labels_of(const WordLists& outputs) {
    std::set<std::string> labels;
    for (const auto& output : outputs) labels.insert(output.begin(), output.end());
    check_classes(labels.size(), labels.empty() ? "" : *labels.begin(), std::ssize(outputs), {});
    return {labels.begin(), labels.end()};
  }

  static std::vector<std::vector<int>> ids_of(const WordLists& texts, const std::vector<std::string>& words) {
    std::unordered_map<std::string_view, int> known;
    for (std::size_t id = 0; id < words.size(); ++id) known.emplace(words[id], static_cast<int>(id));
    std::vector<std::vector<int>> ids;
    for (const auto& text : texts) {
      ids.emplace_back();
      for (const std::string& word : text)
        if (const auto found = known.find(word); found != known.end()) ids.back().push_back(found->second);
    }
    return ids;
  }

  bool classes_;
  std::function<std::vector<std::string>(std::string_view)> cut_;
  std::vector<std::string> inputs_, outputs_;  // words, by id
  std::vector<std::vector<int>> input_ids_, output_ids_;
};

}  // namespace

std::unique_ptr<BagSource> given_bags(GivenTextBags given) { return std::make_unique<GivenBags>(std::move(given)); }

}  // namespace fovea
