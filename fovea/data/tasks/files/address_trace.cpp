// Task `address-trace`: which line of memory is accessed next, in a trace of the user (`fovea/data/corpus`) (room
// data/tasks/files). lab/spec makes it by name for a run. It reads its settings, seed and files only. The most
// frequent counters and pages of the training part have vectors of their own. All others, and pages that training
// does not have, share one vector. A prediction of such a page is never right.
#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/registry.h"
#include "fovea/data/corpus/trace_corpus.h"
#include "fovea/data/tasks/addresses/access_windows.h"
#include "fovea/data/text/token_texts.h"

namespace fovea {

namespace {

static_assert(bytes_per_page == bytes_per_line * lines_per_page);

// The most frequent of what has been counted, numbered from 0 on; of those as frequent, the least.
template <class Key>
std::unordered_map<Key, int> numbered(const std::unordered_map<Key, std::int64_t>& counts, int most) {
  std::vector<std::pair<std::int64_t, Key>> order;
  for (const auto& [key, count] : counts) order.emplace_back(-count, key);
  std::ranges::sort(order);
  if (std::ssize(order) > most) order.resize(static_cast<std::size_t>(most));
  std::unordered_map<Key, int> numbers;
  for (const auto& [count, key] : order) numbers.emplace(key, static_cast<int>(numbers.size()));
  return numbers;
}

AccessTrace load_trace(const Corpus& corpus, int most_pages, int most_counters) {
  std::unordered_map<std::uint64_t, std::int64_t> counters;
  std::unordered_map<std::int64_t, std::int64_t> pages;
  const std::int64_t trained_on = corpus.count(Split::train);
  std::int64_t i = 0;
  each_access(corpus, [&](const TracedAccess& access) {
    if (i++ >= trained_on) return;
    ++counters[access.counter];
    ++pages[static_cast<std::int64_t>(access.address / bytes_per_page)];
  });
  const auto counter_numbers = numbered(counters, most_counters);
  AccessTrace trace;
  trace.numbers = numbered(pages, most_pages);
  trace.counters = static_cast<int>(counter_numbers.size()) + 1;
  trace.pages = static_cast<int>(trace.numbers.size()) + 1;
  trace.accesses.reserve(static_cast<std::size_t>(i));
  each_access(corpus, [&](const TracedAccess& access) {
    const auto found = counter_numbers.find(access.counter);
    trace.accesses.push_back({found == counter_numbers.end() ? trace.counters - 1 : found->second,
                              static_cast<std::int64_t>(access.address / bytes_per_line)});
  });
  trace.episode = std::ssize(trace.accesses);
  return trace;
}

class AddressTrace final : public AccessWindows {
 public:
  void settings(Fields& fields) override {
    fields.text("corpus", corpus_, "a trace of memory accesses, by name");
    fields.text("digest", digest_, "digest that the trace must have; empty: its digest now");
    fields.integer("pages", pages_, 1, 1 << 20, "largest number of pages that are distinguished");
    fields.integer("counters", counters_, 1, 1 << 20, "largest number of counters that are distinguished");
    window_setting(fields);
  }

  void pin() override { digest_ = pinned_corpus(corpus_, digest_).digest; }

  void prepare(std::uint64_t seed) override {
    const Corpus corpus = pinned_corpus(corpus_, digest_);
    static LastLoaded<AccessTrace> last;
    take(last.get(fmt::format("{} {} {}", corpus.digest, pages_, counters_),
                  [&] { return load_trace(corpus, pages_, counters_); }),
         seed, "add a longer trace, or lower task.window");
  }

 private:
  bool spreads() const override { return true; }

  std::string corpus_ = "made-accesses", digest_;
  int pages_ = 4096, counters_ = 4096;
};

const Register<Task> address_trace("address-trace", "which line of memory is accessed next in a trace?",
                                   [] { return std::make_unique<AddressTrace>(); });

}  // namespace

}  // namespace fovea
