#include "apps/cli/corpus_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include "fovea/io/utf8.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea::cli {

namespace {

void print_report(const ReadReport& report) {
  if (!report.header.empty()) {
    std::string names;
    for (const std::string& name : report.header) names += (names.empty() ? "" : ", ") + printable(name);
    fmt::print("The first line was taken as a header: {}\n", names);
  }
  if (report.skipped == 0) return;
  fmt::print("{} malformed line{} skipped; the first:\n", report.skipped, report.skipped == 1 ? " was" : "s were");
  for (const std::string& complaint : report.complaints) fmt::print("  {}\n", complaint);
}

Json examples_json(const Corpus& corpus) {
  return {{"train", corpus.count(Split::train)},
          {"validation", corpus.count(Split::validation)},
          {"test", corpus.count(Split::test)}};
}

Json accesses_json(const Corpus& corpus) {
  return {{"name", corpus.name},
          {"summary", corpus.summary},
          {"kind", "accesses"},
          {"examples", examples_json(corpus)},
          {"counters", corpus.trace->counters},
          {"pages", corpus.trace->pages},
          {"digest", corpus.digest}};
}

std::string plural(std::int64_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace

Json corpus_json(const Corpus& corpus) {
  if (corpus.trace) return accesses_json(corpus);
  return {{"name", corpus.name},
          {"summary", corpus.summary},
          {"kind", corpus.tagged   ? "tagged"
                   : corpus.paired ? "pairs"
                                   : "labelled"},
          {"examples", examples_json(corpus)},
          {"classes", corpus.classes},
          {"digest", corpus.digest}};
}

Json added_json(const AddedCorpus& added) {
  Json json = corpus_json(added.corpus);
  json["files"] = Json::array();
  for (const ReadReport& report : added.reports)
    json["files"].push_back({{"format", format_name(report.format)},
                             {"read", report.read},
                             {"skipped", report.skipped},
                             {"complaints", report.complaints},
                             {"header", report.header}});
  return json;
}

void print_added(const AddedCorpus& added) {
  const Corpus& corpus = added.corpus;
  fmt::print("Added '{}': {} for training, {} for validation, {} for the test", corpus.name, corpus.count(Split::train),
             corpus.count(Split::validation), corpus.count(Split::test));
  if (corpus.trace)
    fmt::print("; {}, {} of 4096 bytes", plural(corpus.trace->counters, "counter"),
               plural(corpus.trace->pages, "page"));
  fmt::print("{}.\n", corpus.paired || corpus.trace ? "" : fmt::format(", in {} classes", corpus.classes.size()));
  for (const ReadReport& report : added.reports) print_report(report);
  fmt::print(
      "Show the corpus: fovea data show {0}\n"
      "Predict before training: fovea predict {0}\n"
      "Train on it: fovea run {1} --set task.corpus={0}\n",
      corpus.name, experiment_of(corpus));
}

const char* experiment_of(const Corpus& corpus) {
  if (corpus.trace) return "prefetch-trace";
  if (corpus.tagged) return "entities";
  return corpus.paired ? "text-translate" : "text-classify";
}

Json trace_json(const Corpus& corpus, const TraceSummary& summary) {
  Json json = accesses_json(corpus);
  const auto pairs = [](const auto& all) {
    Json list = Json::array();
    for (const auto& [what, count] : all) list.push_back({what, count});
    return list;
  };
  json["most_frequent_counters"] = pairs(summary.counters);
  json["most_frequent_steps"] = pairs(summary.steps);
  for (const TracedAccess& access : summary.first) json["first"].push_back({access.counter, access.address});
  return json;
}

void print_trace(const Corpus& corpus, const TraceSummary& summary) {
  const Terminal terminal = Terminal::of(STDOUT_FILENO);
  const double accesses =
      static_cast<double>(corpus.count(Split::train) + corpus.count(Split::validation) + corpus.count(Split::test));
  const auto share = [&](std::int64_t count) { return fmt::format("{:.3g}", static_cast<double>(count) / accesses); };
  const auto heading = [&](const std::string& text) { fmt::print("\n{}\n", toned(text, Tone::strong, terminal)); };
  using Align = TextTable::Align;
  fmt::print("{}\n{}\n", toned(corpus.name, Tone::strong, terminal), printable(corpus.summary));
  fmt::print(
      "Accesses: the first {} for training, the next {} for validation, the last {} for the test; {}, {} of 4096 "
      "bytes\n",
      corpus.count(Split::train), corpus.count(Split::validation), corpus.count(Split::test),
      plural(corpus.trace->counters, "counter"), plural(corpus.trace->pages, "page"));
  heading("Counters");
  TextTable counters({{"counter"}, {"accesses", Align::right}, {"share", Align::right}});
  for (const auto& [counter, count] : summary.counters)
    counters.row({fmt::format("0x{:x}", counter), std::to_string(count), share(count)});
  fmt::print("{}", counters.text(terminal));
  heading("Steps from one access to the next, in lines of 64 bytes");
  TextTable steps({{"step", Align::right}, {"accesses", Align::right}, {"share", Align::right}});
  for (const auto& [step, count] : summary.steps)
    steps.row({fmt::format("{:+}", step), std::to_string(count), share(count)});
  fmt::print("{}", steps.text(terminal));
  heading("The first accesses");
  for (const TracedAccess& access : summary.first) fmt::print("  0x{:x}  0x{:x}\n", access.counter, access.address);
}

}  // namespace fovea::cli
