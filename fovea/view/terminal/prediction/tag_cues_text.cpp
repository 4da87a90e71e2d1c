#include "fovea/view/terminal/prediction/tag_cues_text.h"

#include <fmt/format.h>

#include "fovea/io/utf8.h"

namespace fovea {

namespace {

std::string position_of(int offset) {
  if (offset == 0) return "the word itself";
  return fmt::format("{} {}", std::abs(offset), offset < 0 ? "before" : "behind");
}

}  // namespace

std::string tag_cues_text(const std::vector<TagCue>& cues, const Terminal& terminal) {
  if (cues.empty()) return "No word goes with a tag, in these training sentences.\n";
  using Align = TextTable::Align;
  TextTable table({{"tag"}, {"word"}, {"position"}, {"σ", Align::right}, {"with the tag", Align::right}});
  std::string last;
  for (const TagCue& cue : cues) {
    table.row({cue.tag == last ? "" : cue.tag, printable(cue.word), position_of(cue.offset),
               fmt::format("{:.1f}", cue.sigma), fmt::format("{} of {}", cue.with_tag, cue.all)});
    last = cue.tag;
  }
  return "Predicted before any training: a tagger attends to the words that go with the tag.\n\n" +
         table.text(terminal) + "\nσ: by how many standard deviations the tag is more frequent with this word there.\n";
}

}  // namespace fovea
