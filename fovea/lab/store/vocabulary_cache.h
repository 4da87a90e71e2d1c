// VocabularyCache: the words of runs on corpora, stored beside the store (room lab/store). Sweeps write it. Analysis,
// exports, the server and the program read it. The tokens of a run can then be read even if its corpus has changed or
// is gone. All runs with the same settings of the task share one file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fovea/lab/record/run_spec.h"

namespace fovea {

class Store;

// By their numbers.
struct KnownWords {
  std::vector<std::string> source, target;  // target: of pairs; empty where it is the source's
  std::vector<std::string> classes;         // of labelled texts

  const std::string& target_word(std::size_t number) const { return target.empty() ? source[number] : target[number]; }
  int class_number(const std::string& name) const;  // throws wrong_input where there is no such class
};

class VocabularyCache {
 public:
  explicit VocabularyCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Keeps those of a run that is about to be trained, and locked; where they are kept, or follow from the spec alone,
  // nothing is done.
  void keep(const RunSpec& spec) const;

  // As they were kept; else, from runs of before they were, as its task has them now. Throws what the task throws.
  KnownWords of(const RunSpec& spec) const;

  // As another store has them, of a run that this store has; throws failure where they cannot be written.
  void take_from(const VocabularyCache& other, const RunSpec& spec) const;

  std::filesystem::path file_of(const RunSpec& spec) const;
  std::vector<std::filesystem::path> files() const;

  // While it is held no run finds its words kept, and relies on them: who clears some away holds it from before looking
  // which runs are locked until it is done.
  class Hold {
   public:
    explicit Hold(const VocabularyCache& words);  // waits for whoever holds it
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold();
    bool held() const { return held_; }  // false: there is no folder, or its file system knows no locks

   private:
    int folder_;
    bool held_;
  };

 private:
  std::optional<KnownWords> read(const RunSpec& spec) const;

  std::filesystem::path folder_;
};

VocabularyCache vocabulary_cache(const Store& store);

}  // namespace fovea
