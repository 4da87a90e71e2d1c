#include "fovea/theory/prediction/tag_rivals.h"

#include <algorithm>

#include "fovea/data/text/entity_spans.h"

namespace fovea {

void each_tagged(const Task& task, std::int64_t fresh, const VisitTagged& visit) {
  const std::int64_t finite = task.examples(Split::train);
  Batch batch;
  for (std::int64_t i = 0; i < (finite > 0 ? finite : fresh); ++i) {
    task.batch(Split::train, static_cast<std::uint64_t>(i), 1, batch);
    visit(batch.source.row(0), batch.target.row(0));
  }
}

std::vector<std::string> tag_names(const Task& task) {
  std::vector<std::string> names;
  for (int tag = 0; tag < task.shape().target_vocab; ++tag) names.push_back(task.target_word(tag));
  return names;
}

TagRivals::TagRivals(const Task& task, std::int64_t fresh) : tags_(tag_names(task)) {
  const TaskShape shape = task.shape();
  outside_ = static_cast<std::size_t>(std::ranges::find(tags_, "O") - tags_.begin());
  std::vector<std::vector<std::int64_t>> counts(static_cast<std::size_t>(shape.vocab),
                                                std::vector<std::int64_t>(tags_.size()));
  std::map<std::vector<int>, std::map<std::string_view, std::int64_t>> names;
  std::vector<std::string_view> written;
  each_tagged(task, fresh, [&](std::span<const int> words, std::span<const int> tags) {
    written.clear();
    for (std::size_t i = 0; i < words.size(); ++i) {
      ++counts[static_cast<std::size_t>(words[i])][static_cast<std::size_t>(tags[i])];
      written.push_back(tags_[static_cast<std::size_t>(tags[i])]);
    }
    for (const EntitySpan& span : entity_spans(written)) {
      const std::vector<int> name(words.begin() + span.begin, words.begin() + span.end);
      if (std::ranges::find(name, shape.unknown_token) == name.end()) ++names[name][span.type];
    }
  });
  for (std::size_t word = 0; word < counts.size(); ++word) {
    const auto most = std::max_element(counts[word].begin(), counts[word].end());
    const bool known = *most > 0 && static_cast<int>(word) != shape.unknown_token;
    of_word_.push_back(known ? static_cast<std::size_t>(most - counts[word].begin()) : outside_);
  }
  for (const auto& [name, types] : names) {
    const auto most =
        std::max_element(types.begin(), types.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    begin_of_names_.emplace(name, "B-" + std::string(most->first));
    longest_ = std::max(longest_, name.size());
  }
}

std::vector<std::string_view> TagRivals::by_majority(std::span<const int> words) const {
  std::vector<std::string_view> tags;
  for (const int word : words) tags.push_back(tags_[of_word_[static_cast<std::size_t>(word)]]);
  return tags;
}

std::vector<std::string_view> TagRivals::by_lexicon(std::span<const int> words) const {
  std::vector<std::string_view> tags(words.size(), tags_[outside_]);
  for (std::size_t at = 0; at < words.size();) {
    auto found = begin_of_names_.end();
    for (std::size_t length = std::min(longest_, words.size() - at); length > 0; --length) {
      const std::span<const int> name = words.subspan(at, length);
      found = begin_of_names_.find({name.begin(), name.end()});
      if (found != begin_of_names_.end()) break;
    }
    if (found == begin_of_names_.end()) {
      ++at;
      continue;
    }
    const auto& [name, begin] = *found;
    const std::string inside = "I" + begin.substr(1);
    tags[at] = begin;
    std::fill_n(tags.begin() + static_cast<std::ptrdiff_t>(at + 1), name.size() - 1, *std::ranges::find(tags_, inside));
    at += name.size();
  }
  return tags;
}

}  // namespace fovea
