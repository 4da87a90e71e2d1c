// A corpus folder while it is made: it becomes a corpus only if all is well (room data/corpus). corpus_add.cpp and
// trace_corpus.cpp of this room write packed lines and the manifest through it.
#pragma once

#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "fovea/data/corpus/corpus.h"

namespace fovea {

// Lets `fill` make the corpus in a folder beside the others, which becomes NAME when it is done and goes when it
// throws. Throws wrong_input for a name that is taken (unless `replace`) or is no name.
AddedCorpus keep_whole(const std::string& name, bool replace,
                       const std::function<AddedCorpus(const std::filesystem::path&)>& fill);

// Lines, packed.
class PackedWriter {
 public:
  explicit PackedWriter(const std::filesystem::path& file);
  PackedWriter(const PackedWriter&) = delete;
  PackedWriter& operator=(const PackedWriter&) = delete;
  ~PackedWriter() { ZSTD_freeCCtx(context_); }

  void line(std::string_view text);
  void close();

 private:
  void pack(ZSTD_EndDirective how);

  Location location_;
  std::ofstream out_;
  ZSTD_CCtx* context_;
  std::string waiting_, packed_;
};

// As TOML writes it. A file's name may be no UTF-8.
std::string toml_text(const std::string& text);

}  // namespace fovea
