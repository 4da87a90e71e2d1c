// Corpora by name: the user's own, in home_folder()/data/NAME, and those that the program makes (room data/corpus).
// The tasks on texts (data/tasks/files), `fovea data` and the Python package call it.
//
// Adding a corpus copies its texts, checked, into the store. A run then depends on nothing that may change or
// disappear. A corpus is a folder of corpus.toml (its description) and train.jsonl.zst, validation.jsonl.zst and
// test.jsonl.zst (a text per line, with its label or target). A trace of memory accesses is corpus.toml and
// trace.csv.zst (trace_corpus.h).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fovea/data/text/split_texts.h"
#include "fovea/data/text/text_reader.h"

namespace fovea {

inline constexpr std::array all_splits{Split::train, Split::validation, Split::test};

struct TraceSize {
  std::int64_t counters = 0, pages = 0;  // different ones
};

struct Corpus {
  std::string name;
  std::string summary;                     // one line: where it is from
  std::optional<TraceSize> trace;          // of memory accesses, which are its examples; else it holds texts
  bool paired = false;                     // texts with translations; else texts with labels
  std::vector<std::string> classes;        // sorted; a label is its index in here
  std::array<std::int64_t, 3> examples{};  // by Split
  std::string digest;                      // of all its texts, labels and splits
  std::array<std::string, 3> digests{};    // of those of each split; empty where it was added before there were any
  std::filesystem::path folder;            // empty: made by the program
  bool tagged = false;                     // of pairs: each word has a tag, and the tags are the target

  std::int64_t count(Split split) const { return examples[static_cast<std::size_t>(split)]; }
};

// Throws wrong_input for a name there is none of, with the nearest.
Corpus find_corpus(const std::string& name);
// That of a task which pins a digest; with none pinned, as it is now.
Corpus pinned_corpus(const std::string& name, const std::string& digest);
// One whose manifest is damaged has no examples, and its summary says what is wrong.
std::vector<Corpus> all_corpora();
void remove_corpus(const std::string& name);  // one that was added; throws wrong_input for others

// Calls `take` for each example of a split, in the order they are kept in. A corpus of other than texts, and one whose
// files were changed or damaged, throws.
void each_example(const Corpus& corpus, Split split, const std::function<void(const TextExample&)>& take);

// What a corpus is made from. A split that is not given is split off the training data.
struct CorpusSources {
  TextSource train;
  std::optional<TextSource> validation, test;
  Fractions fractions;
  std::uint64_t seed = 0;    // of the splitting
  std::string summary = {};  // where it is from; empty: the training file
};

struct AddedCorpus {
  Corpus corpus;
  std::vector<ReadReport> reports;  // of each file, in the order train, validation, test
};

// Whole or not at all. Throws wrong_input for a name that is taken (unless `replace`) or is no name, and for bad data:
// one class only, a label that is not in the training data, nothing to validate on. `progress` is told from time to
// time how many texts of the training file are kept, of how many; 0 of 0 while others are read. What it throws ends it.
AddedCorpus add_corpus(const std::string& name, const CorpusSources& sources, bool replace = false,
                       const std::function<void(std::int64_t, std::int64_t)>& progress = {});

// A corpus the program makes itself. The examples of a trace are lines as parse_access reads them.
struct MadeCorpus {
  std::string name, summary;
  bool trace = false;
  bool paired = false;
  std::vector<std::string> classes;
  std::array<std::int64_t, 3> examples{};
  std::function<void(Split, const std::function<void(const TextExample&)>&)> each;
  bool tagged = false;
};
const std::vector<MadeCorpus>& made_corpora();

}  // namespace fovea
