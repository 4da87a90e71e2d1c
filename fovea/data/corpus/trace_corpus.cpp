#include "fovea/data/corpus/trace_corpus.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "fovea/base/file.h"
#include "fovea/data/corpus/corpus_files.h"
#include "fovea/data/corpus/unfinished_corpus.h"
#include "fovea/data/draw.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

fs::path trace_file(const fs::path& folder) { return folder / "trace.csv.zst"; }

std::string kept_line(const TracedAccess& access) {
  return fmt::format(FMT_COMPILE("0x{:x},0x{:x}"), access.counter, access.address);
}

std::array<std::int64_t, 3> parted(std::int64_t accesses) {
  const std::int64_t tenth = accesses / 10;
  return {accesses - 2 * tenth, tenth, tenth};
}

std::string manifest(const Corpus& corpus) {
  std::string text = fmt::format(
      "# A trace of memory accesses, in this folder.\nsummary = {}\ndigest = \"{}\"\n\n[trace]\ncounters = {}\npages = "
      "{}\n\n[examples]\n",
      toml_text(corpus.summary), corpus.digest, corpus.trace->counters, corpus.trace->pages);
  for (const Split split : all_splits) text += fmt::format("{} = {}\n", split_name(split), corpus.count(split));
  return text;
}

template <class Key>
std::vector<std::pair<Key, std::int64_t>> most_frequent(const std::unordered_map<Key, std::int64_t>& counts,
                                                        std::size_t most) {
  std::vector<std::pair<Key, std::int64_t>> all(counts.begin(), counts.end());
  const auto before = [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  };
  const auto kept = static_cast<std::ptrdiff_t>(std::min(most, all.size()));
  std::partial_sort(all.begin(), all.begin() + kept, all.end(), before);
  all.resize(static_cast<std::size_t>(kept));
  return all;
}

}  // namespace

AddedCorpus add_trace(const std::string& name, const fs::path& file, BadLine bad, bool replace,
                      const std::function<void(std::int64_t)>& progress) {
  return keep_whole(name, replace, [&](const fs::path& folder) {
    constexpr std::int64_t told_every = 100'000;
    TraceReader reader{ByteReader(file), bad};
    PackedWriter writer(trace_file(folder));
    TraceCounter counter;
    Digest digest;
    AddedCorpus added;
    for (TracedAccess access; reader.next(access);) {
      const std::int64_t read = reader.report().read;
      if (read > most_accesses)
        throw wrong_input(fmt::format("has more than {} accesses", most_accesses), "split it into parts",
                          {file.string()});
      const std::string line = kept_line(access);
      writer.line(line);
      digest.add(line);
      digest.add("\n");
      counter.add(access);
      if (progress && read % told_every == 0) progress(read);
    }
    writer.close();
    if (const std::int64_t read = reader.report().read; read < least_accesses)
      throw wrong_input(
          fmt::format("has {} access{}, and training needs at least {}", read, read == 1 ? "" : "es", least_accesses),
          "give a longer trace", {file.string()});
    added.reports.push_back(reader.report());
    Corpus& corpus = added.corpus;
    corpus.name = name;
    corpus.summary = "from " + fs::absolute(file).string();
    corpus.trace = counter.size();
    corpus.examples = parted(reader.report().read);
    corpus.digest = digest.hex();
    write_whole(folder / manifest_name, manifest(corpus));
    return added;
  });
}

void each_access(const Corpus& corpus, const std::function<void(const TracedAccess&)>& take) {
  if (!corpus.trace)
    throw wrong_input(fmt::format("the corpus '{}' has texts, not memory accesses", corpus.name),
                      "choose a corpus that was added as a trace");
  if (corpus.folder.empty()) {
    const auto& all = made_corpora();
    const auto made = std::ranges::find(all, corpus.name, &MadeCorpus::name);
    for (const Split split : all_splits)
      made->each(split, [&](const TextExample& line) { take(parse_access(line.text, line.location)); });
    return;
  }
  const Location location{trace_file(corpus.folder).string()};
  const std::string again = fmt::format("add the corpus '{}' again", corpus.name);
  Digest digest;
  try {
    LineReader lines{ByteReader(trace_file(corpus.folder))};
    for (std::string_view line; lines.next(line);) {
      digest.add(line);
      digest.add("\n");
      take(parse_access(line, lines.location()));
    }
  } catch (const Error& error) {  // what is wrong with a file that was kept is not mended in it
    if (error.kind() != Error::Kind::wrong_input) throw;
    throw wrong_input(error.problem(), again, error.location());
  }
  if (digest.hex() != corpus.digest) throw wrong_input("has other accesses than were added", again, location);
}

TraceSummary summarise_trace(const Corpus& corpus, std::size_t commonest, std::size_t first) {
  TraceSummary summary;
  std::unordered_map<std::uint64_t, std::int64_t> counters;
  std::unordered_map<std::int64_t, std::int64_t> steps;
  std::int64_t before = -1;
  each_access(corpus, [&](const TracedAccess& access) {
    const auto line = static_cast<std::int64_t>(access.address / bytes_per_line);
    ++counters[access.counter];
    if (before >= 0) ++steps[line - before];
    before = line;
    if (summary.first.size() < first) summary.first.push_back(access);
  });
  summary.counters = most_frequent(counters, commonest);
  summary.steps = most_frequent(steps, commonest);
  return summary;
}

}  // namespace fovea
