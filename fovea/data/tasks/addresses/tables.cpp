#include "fovea/data/tasks/addresses/tables.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

namespace fovea {

namespace {

class AddressTable {
 public:
  explicit AddressTable(std::string name) : name_(std::move(name)) {}
  virtual ~AddressTable() = default;

  const std::string& name() const { return name_; }
  // The line of the access behind `before`, which `counter` asks for.
  virtual std::optional<std::int64_t> predict(std::span<const Access> before, int counter) const = 0;
  virtual void learn(std::span<const Access> until_now) = 0;  // the last of them is new
  virtual void clear() = 0;

 private:
  std::string name_;
};

class StrideTable final : public AddressTable {
 public:
  StrideTable() : AddressTable("stride") {}

  std::optional<std::int64_t> predict(std::span<const Access>, int counter) const override {
    const auto found = entries_.find(counter);
    if (found == entries_.end() || !found->second.stride) return {};
    return found->second.line + *found->second.stride;
  }
  void learn(std::span<const Access> until_now) override {
    const Access& now = until_now.back();
    const auto [found, is_new] = entries_.try_emplace(now.counter, Entry{now.line, {}});
    if (!is_new) found->second = {now.line, now.line - found->second.line};
  }
  void clear() override { entries_.clear(); }

 private:
  struct Entry {
    std::int64_t line;
    std::optional<std::int64_t> stride;
  };
  std::unordered_map<int, Entry> entries_;
};

class MarkovTable final : public AddressTable {
 public:
  MarkovTable() : AddressTable("markov_address") {}

  std::optional<std::int64_t> predict(std::span<const Access> before, int) const override {
    if (before.empty()) return {};
    const auto found = next_.find(before.back().line);
    return found == next_.end() ? std::nullopt : std::optional(found->second);
  }
  void learn(std::span<const Access> until_now) override {
    const std::size_t n = until_now.size();
    if (n >= 2) next_[until_now[n - 2].line] = until_now[n - 1].line;
  }
  void clear() override { next_.clear(); }

 private:
  std::unordered_map<std::int64_t, std::int64_t> next_;
};

// The step behind the last `depth` steps, 1 or 2.
class DeltaTable final : public AddressTable {
 public:
  DeltaTable(std::string name, std::size_t depth) : AddressTable(std::move(name)), depth_(depth) {}

  std::optional<std::int64_t> predict(std::span<const Access> before, int) const override {
    if (before.size() < depth_ + 1) return {};
    const auto found = next_.find(steps_of(before));
    return found == next_.end() ? std::nullopt : std::optional(before.back().line + found->second);
  }
  void learn(std::span<const Access> until_now) override {
    const std::size_t n = until_now.size();
    if (n >= depth_ + 2) next_[steps_of(until_now.first(n - 1))] = until_now[n - 1].line - until_now[n - 2].line;
  }
  void clear() override { next_.clear(); }

 private:
  using Steps = std::array<std::int64_t, 2>;
  struct Hash {
    std::size_t operator()(const Steps& steps) const {
      return static_cast<std::size_t>(steps[0]) * 0x9e3779b97f4a7c15u ^ static_cast<std::size_t>(steps[1]);
    }
  };

  Steps steps_of(std::span<const Access> accesses) const {
    Steps steps{};
    const std::size_t n = accesses.size();
    for (std::size_t i = 0; i < depth_; ++i) steps[i] = accesses[n - 1 - i].line - accesses[n - 2 - i].line;
    return steps;
  }

  std::size_t depth_;
  std::unordered_map<Steps, std::int64_t, Hash> next_;
};

}  // namespace

std::vector<TableScore> score_tables(const AccessTrace& trace, const std::function<bool(std::int64_t)>& asked) {
  std::vector<std::unique_ptr<AddressTable>> tables;
  tables.push_back(std::make_unique<StrideTable>());
  tables.push_back(std::make_unique<MarkovTable>());
  tables.push_back(std::make_unique<DeltaTable>("markov_delta", 1));
  tables.push_back(std::make_unique<DeltaTable>("ghb", 2));
  std::vector<TableScore> scores;
  for (const auto& table : tables) scores.push_back({table->name()});

  const std::span<const Access> all(trace.accesses);
  double count = 0;
  std::int64_t begin = 0;  // of the episode
  for (std::int64_t i = 0; i < std::ssize(all); ++i) {
    if (i - begin == trace.episode) {
      begin = i;
      for (const auto& table : tables) table->clear();
    }
    const auto episode = all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(i - begin + 1));
    const Access& now = episode.back();
    const bool counts = asked(i);
    count += counts;
    for (std::size_t k = 0; k < tables.size(); ++k) {
      if (counts) {
        if (const auto line = tables[k]->predict(episode.first(episode.size() - 1), now.counter)) {
          const Access said{0, std::max<std::int64_t>(*line, 0)};
          scores[k].coverage += 1;
          scores[k].page += said.page() == now.page();
          scores[k].offset += said.offset() == now.offset();
          scores[k].both += *line == now.line;
        }
      }
      tables[k]->learn(episode);
    }
  }
  for (TableScore& score : scores)
    for (double* const share : {&score.page, &score.offset, &score.both, &score.coverage})
      if (count > 0) *share /= count;
  return scores;
}

}  // namespace fovea
