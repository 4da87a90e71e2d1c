// Reads files with a size limit, and writes them whole or not at all (room base). Corpora, the store, checkpoints,
// exports and figures call it. It reads and writes the files of the given paths, nothing else.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "fovea/base/error/message.h"

namespace fovea {

// The whole file. Throws wrong_input if it is missing, is a folder, or is larger than `limit`;
// failure if it cannot be read.
std::string read_file(const std::filesystem::path& path, std::size_t limit);

// A link is followed, and what is no regular file (a device, a pipe) is written straight to. Otherwise: writes beside
// the target, flushes to the disk, then renames over it: a reader sees the old file or the new one. Throws failure
// (disk full, no permission) and leaves the old file as it was.
void write_whole(const std::filesystem::path& path, std::string_view bytes);

// The same for a file that is made piece by piece. What was written is there once commit() has returned; without it,
// nothing is.
class WholeFile {
 public:
  // `durable`: flushed to the disk before it takes its place. Else a power cut may leave it empty, and many small ones
  // are written faster.
  explicit WholeFile(const std::filesystem::path& path, bool durable = true);
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();

  void write(std::string_view bytes);
  void commit();

 private:
  [[noreturn]] void give_up(int code);

  std::filesystem::path path_, named_;
  std::string temporary_;  // empty where what is there is no regular file, and written straight to
  int file_ = -1;
  bool durable_;
};

// Makes the folder and those above it, if they are missing. Throws wrong_input if a file has this name, failure if the
// folder cannot be made. `otherwise` is the remedy of both.
void make_folder(const std::filesystem::path& folder, const Remedy& otherwise);

// Where this user's runs, corpora and checkpoints live: $FOVEA_HOME, else $XDG_DATA_HOME/fovea, else
// ~/.local/share/fovea.
std::filesystem::path home_folder();

}  // namespace fovea
