// Command `fovea data get` (folder apps/cli), which data.cpp contains. It downloads public corpora from their
// publishers by data/corpus/get_corpus.h, and adds them to the user's folder.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "fovea/data/corpus/get_corpus.h"

namespace fovea::cli {

class DataGet {
 public:
  void options(CLI::App& app);
  int run();

 private:
  int list() const;
  int get(const PublicCorpus& wanted);

  std::string name_, as_, from_;
  std::vector<const CLI::Option*> of_one_;  // options that need the name of a corpus
  double timeout_ = 60;
  bool replace_ = false, quiet_ = false, json_ = false;
};

}  // namespace fovea::cli
