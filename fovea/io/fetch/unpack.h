// Unpacks archives (tar, packed or not, and zip) from any source into a folder (room io/fetch).
// data/corpus/get_corpus.cpp calls it. It writes inside that folder only.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

struct Unpacking {
  std::filesystem::path archive, folder;
  std::vector<std::string> members =
      {};               // what is wanted: files by name, folders by a name with '/' at its end; none: all
  bool latin1 = false;  // texts are in ISO 8859-1, and become UTF-8
  std::int64_t most_bytes = std::int64_t{4} << 30;  // of all members together, those that are not wanted included
  std::int64_t most_members = 1'000'000;
  const std::atomic<bool>* stop = nullptr;
};

// Writes regular files, inside of `folder` only, and makes its folders. Throws wrong_input for an archive that is
// damaged, goes over the limits, holds a link, a device or a name that leads out of the folder (wanted or not), has a
// name twice, or lacks a member that is wanted. What was written until then stays.
void unpack(const Unpacking& wanted);

bool can_unpack();                                             // false where the program was built without libarchive
void require_unpacking(const std::filesystem::path& archive);  // throws failure, which names the archive, there

}  // namespace fovea
