#include "fovea/data/text/word_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <tuple>
#include <utility>

#include "fovea/io/lines.h"
#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

constexpr int most_linked_words = 1 << 20;

AlignedPair parse_link(std::string_view word, const Location& location) {
  AlignedPair link;
  const char* const end = word.data() + word.size();
  const auto source = std::from_chars(word.data(), end, link.source);
  const bool parted = source.ec == std::errc() && source.ptr != end && (*source.ptr == '-' || *source.ptr == 'p');
  const auto target = parted ? std::from_chars(source.ptr + 1, end, link.target) : source;
  if (!parted || target.ec != std::errc() || target.ptr != end || std::min(link.source, link.target) < 0 ||
      std::max(link.source, link.target) >= most_linked_words)
    throw wrong_input(fmt::format("'{}' is no link between two words", word),
                      "write 0-1 for a sure link from the first word of the source to the second of the target, and "
                      "0p1 for a possible link",
                      location);
  link.sure = *source.ptr == '-';
  return link;
}

}  // namespace

WordAlignment parse_alignment(std::string_view line, Location location) {
  WordAlignment alignment;
  alignment.location = std::move(location);
  each_word(line, [&](std::string_view word) { alignment.links.push_back(parse_link(word, alignment.location)); });
  auto& links = alignment.links;
  std::ranges::sort(links, {}, [](const AlignedPair& one) { return std::tuple(one.source, one.target, !one.sure); });
  const auto same_words = [](const AlignedPair& a, const AlignedPair& b) {
    return a.source == b.source && a.target == b.target;
  };
  links.erase(std::unique(links.begin(), links.end(), same_words), links.end());
  return alignment;
}

std::vector<WordAlignment> read_alignments(const std::filesystem::path& file) {
  std::vector<WordAlignment> all;
  LineReader lines{ByteReader(file)};
  for (std::string_view line; lines.next(line);) all.push_back(parse_alignment(line, lines.location()));
  if (all.empty()) throw wrong_input("has no line", "write one for each pair, as 0-0 1-2", {file.string()});
  return all;
}

}  // namespace fovea
