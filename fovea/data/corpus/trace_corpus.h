// A trace of memory accesses as a corpus: corpus.toml, and trace.csv.zst with a counter and an address per line (room
// data/corpus). `fovea data` and the Python package add traces; the task `address-trace` reads them. In the order of
// the trace, the first eight tenths are training examples, the next tenth is validation, and the last is the test.
#pragma once

#include <unordered_set>

#include "fovea/data/corpus/corpus.h"
#include "fovea/data/corpus/trace_reader.h"

namespace fovea {

inline constexpr int bytes_per_line = 64, bytes_per_page = 4096;
inline constexpr std::int64_t most_accesses = 100'000'000;
inline constexpr std::int64_t least_accesses = 46;  // 30 windows, which training wants, of 16 accesses, as is usual

// Throws as add_corpus does, whole or not at all. `progress` is told from time to time how many accesses are kept.
AddedCorpus add_trace(const std::string& name, const std::filesystem::path& file, BadLine bad = BadLine::stop,
                      bool replace = false, const std::function<void(std::int64_t)>& progress = {});

// Calls `take` for each access of a trace, in order. A corpus of texts, and one whose file was changed, throws.
void each_access(const Corpus& corpus, const std::function<void(const TracedAccess&)>& take);

// What a person wants to know of a trace before they use it.
struct TraceSummary {
  using Counts = std::vector<std::pair<std::int64_t, std::int64_t>>;  // what, and how often; the most frequent first
  std::vector<std::pair<std::uint64_t, std::int64_t>> counters;
  Counts steps;  // from an access to the next, in lines of 64 bytes
  std::vector<TracedAccess> first;
};
TraceSummary summarise_trace(const Corpus& corpus, std::size_t commonest = 8, std::size_t first = 5);

// How many counters and pages there are among accesses.
class TraceCounter {
 public:
  void add(const TracedAccess& access) {
    counters_.insert(access.counter);
    const std::uint64_t page = access.address / bytes_per_page;
    if (page != last_page_) pages_.insert(last_page_ = page);
  }
  TraceSize size() const { return {std::ssize(counters_), std::ssize(pages_)}; }

 private:
  std::unordered_set<std::uint64_t> counters_, pages_;
  std::uint64_t last_page_ = ~std::uint64_t{0};  // the number of no page
};

}  // namespace fovea
