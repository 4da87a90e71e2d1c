#include "apps/cli/corpus_text.h"

#include <fmt/format.h>

#include "fovea/io/utf8.h"

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

}  // namespace

Json corpus_json(const Corpus& corpus) {
  return {{"name", corpus.name},
          {"summary", corpus.summary},
          {"kind", corpus.paired ? "pairs" : "labelled"},
          {"examples",
           {{"train", corpus.count(Split::train)},
            {"validation", corpus.count(Split::validation)},
            {"test", corpus.count(Split::test)}}},
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
  fmt::print("Added '{}': {} to train on, {} for validation, {} for the test", corpus.name, corpus.count(Split::train),
             corpus.count(Split::validation), corpus.count(Split::test));
  fmt::print("{}.\n", corpus.paired ? "" : fmt::format(", in {} classes", corpus.classes.size()));
  for (const ReadReport& report : added.reports) print_report(report);
  fmt::print("See it: fovea data show {0}\nTrain on it: fovea run {1} --set task.corpus={0}\n", corpus.name,
             corpus.paired ? "text-translate" : "text-classify");
}

}  // namespace fovea::cli
