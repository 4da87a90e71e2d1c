#include "fovea/lab/store/store_labels.h"

#include <fmt/format.h>

#include <algorithm>

namespace fovea {

namespace {

constexpr std::size_t longest_tag = 100, longest_note = 10'000;

// Tags are listed with commas between them.
void require_tag(const std::string& tag) {
  const bool blank_ends = tag.empty() || tag.front() == ' ' || tag.back() == ' ';
  const bool controls = std::ranges::any_of(tag, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (blank_ends || controls || tag.find(',') != std::string::npos || tag.size() > longest_tag)
    throw wrong_input(fmt::format("'{}' cannot be a tag", tag),
                      fmt::format("use at most {} letters, and no commas", longest_tag));
}

void require_run(const Store& store, std::int64_t id) {
  if (!store.has(id)) throw wrong_input(fmt::format("there is no run {}", id), Remedy::see_runs());
}

}  // namespace

void add_labels(Store::State& state, std::int64_t id, std::vector<std::string>& tags, std::string& note) {
  SqliteStatement rows = state.db().prepare("SELECT name FROM tags WHERE run = ?");
  rows.bind(1, id);
  while (rows.next()) {
    const std::string& tag = state.text_of(rows.integer(0));
    const auto at = std::ranges::lower_bound(tags, tag);
    if (at == tags.end() || *at != tag) tags.insert(at, tag);
  }
  if (!note.empty()) return;
  SqliteStatement row = state.db().prepare("SELECT text FROM notes WHERE run = ?");
  if (row.bind(1, id).next()) note = row.text(0);
}

void keep_labels(Store::State& state, std::int64_t id, const std::vector<std::string>& tags, const std::string& note) {
  SqliteStatement insert = state.db().prepare("INSERT OR IGNORE INTO tags (run, name) VALUES (?, ?)");
  for (const std::string& tag : tags) insert.bind(1, id).bind(2, state.word(tag)).run();
  if (note.empty()) return;
  state.db().prepare("INSERT OR REPLACE INTO notes (run, text) VALUES (?, ?)").bind(1, id).bind(2, note).run();
}

void Store::tag(std::span<const std::int64_t> ids, std::span<const std::string> add,
                std::span<const std::string> remove) {
  for (const std::string& tag : add) require_tag(tag);
  try {
    Transaction transaction(state_->db(), Transaction::Kind::write);
    SqliteStatement away = state_->db().prepare("DELETE FROM tags WHERE run = ? AND name = ?");
    for (const std::int64_t id : ids) {
      require_run(*this, id);
      keep_labels(*state_, id, {add.begin(), add.end()}, {});
      for (const std::string& tag : remove)
        if (const auto word = state_->known_word(tag)) away.bind(1, id).bind(2, *word).run();
    }
    transaction.commit();
  } catch (...) {
    state_->forget_words();
    throw;
  }
}

std::vector<std::pair<std::string, std::int64_t>> Store::tags() const {
  SqliteStatement rows = state_->db().prepare(
      "SELECT w.text, count(*) FROM tags t JOIN words w ON w.id = t.name JOIN runs r ON r.id = t.run "
      "WHERE r.removed IS NULL GROUP BY w.text ORDER BY w.text");
  std::vector<std::pair<std::string, std::int64_t>> all;
  while (rows.next()) all.emplace_back(rows.text(0), rows.integer(1));
  return all;
}

void Store::note(std::int64_t id, const std::string& text) {
  if (text.size() > longest_note)
    throw wrong_input(fmt::format("the note has {} letters", text.size()),
                      fmt::format("shorten it to at most {}", longest_note));
  Transaction transaction(state_->db(), Transaction::Kind::write);
  require_run(*this, id);
  state_->db().prepare("DELETE FROM notes WHERE run = ?").bind(1, id).run();
  keep_labels(*state_, id, {}, text);
  transaction.commit();
}

Labels::Labels(Store::State& state) {
  SqliteStatement tags = state.db().prepare("SELECT run, name FROM tags");
  while (tags.next()) tags_[tags.integer(0)].push_back(state.text_of(tags.integer(1)));
  for (auto& [run, words] : tags_) std::ranges::sort(words);
  SqliteStatement notes = state.db().prepare("SELECT run, text FROM notes");
  while (notes.next()) notes_.emplace(notes.integer(0), notes.text(1));
}

void Labels::read(RunRecord& run) const {
  const auto tags = tags_.find(run.id);
  if (tags != tags_.end()) run.tags = tags->second;
  else run.tags.clear();
  const auto note = notes_.find(run.id);
  if (note != notes_.end()) run.note = note->second;
  else run.note.clear();
}

}  // namespace fovea
