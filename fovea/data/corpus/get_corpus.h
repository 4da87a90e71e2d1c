// Downloads public data sets from their publishers: fetches, checks, unpacks, and adds them to the store's corpora.
// `fovea data get` and the Python package call it (room data/corpus).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fovea/data/corpus/corpus.h"
#include "fovea/io/fetch/download.h"

namespace fovea {

// A public data set and how it becomes a corpus. corpora/*.toml describes the known ones
// (data/corpus/public_corpora.h).
struct PublicCorpus {
  struct File {
    std::string name;                    // name of the file here and at a mirror
    std::vector<std::string> addresses;  // the first one that works is used
    std::int64_t bytes = 0;              // 0: unknown
    std::string sha256;
    std::vector<std::string> members;  // files to unpack from an archive; empty: the file is used as it is
  };
  std::string name, title, terms, home;  // home: page that describes the corpus
  bool latin1 = false;                   // its texts are not in UTF-8
  std::vector<File> files;
  // Files and folders are named as they lie once all are fetched and unpacked. No training texts: the files themselves
  // are what is wanted, and they are kept.
  CorpusSources sources;

  bool is_corpus() const { return !sources.train.file.empty(); }
  std::int64_t bytes() const;  // of all files whose size is known
};

struct Getting {
  std::string as;    // the name in the store; empty: its own
  std::string from;  // instead of its addresses: an address that all files lie under, or a folder that holds them
  bool replace = false;
  DownloadManners manners;
  // Each thing that is done: "fetching imdb.tar.gz", with its bytes (0: none, or not known), "unpacking imdb.tar.gz", …
  std::function<void(const std::string& doing, std::int64_t bytes)> begin;
  std::function<void(std::int64_t, std::int64_t)> progress;  // texts added, of
};

struct Got {
  bool was_here = false;             // nothing was done
  std::optional<AddedCorpus> added;  // its corpus, where it was not
  std::filesystem::path folder;      // where it lies
};

// Whatever was fetched before it was stopped, by whatever, is used when it is called again. Throws wrong_input for a
// name that another corpus has; what download(), unpack() and add_corpus() throw.
Got get_corpus(const PublicCorpus& wanted, const Getting& how);

// Whether it is in the store under that name.
bool is_here(const PublicCorpus& wanted, const std::string& as);

}  // namespace fovea
