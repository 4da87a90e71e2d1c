// Alignments between the words of two texts (room data/text). Words are separated by blanks and counted from 0.
//
// In a file (Pharaoh's format) a pair is a line: "0-0 2-1 2p3" has sure links from word 0 to word 0 and from word 2 to
// word 1, and a possible link from word 2 to word 3. The source comes first. A line may be empty.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "fovea/base/error/error.h"

namespace fovea {

struct AlignedPair {
  int source = 0, target = 0;
  bool sure = true;
  bool operator==(const AlignedPair&) const = default;
};

struct WordAlignment {
  std::vector<AlignedPair> links;  // each pair of words once, sorted; sure if it was ever named sure
  Location location;
};

// Throws wrong_input, with the location, for a link that is none.
WordAlignment parse_alignment(std::string_view line, Location location);
// One for each line.
std::vector<WordAlignment> read_alignments(const std::filesystem::path& file);

}  // namespace fovea
