#include "fovea/data/words/text_bags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "fovea/data/text/labelled_source.h"
#include "fovea/data/text/word_counts.h"
#include "fovea/data/words/words.h"

namespace fovea {

namespace {

constexpr std::size_t most_words = 1'000'000;
constexpr std::size_t most_classes = 1000;
constexpr std::size_t block_examples = 4096;
constexpr std::size_t round_blocks = 8;  // read one after the other, then worked on side by side

using BlockCounts = std::unordered_map<std::string_view, std::int64_t>;

// Some examples, copied out of the reader: for each a text, and its label or translation.
class Block {
 public:
  void clear(std::int64_t first) {
    first_ = first;
    bytes_.clear();
    ends_.clear();
  }
  void add(std::string_view text, std::string_view answer) {
    bytes_ += text;
    ends_.push_back(bytes_.size());
    bytes_ += answer;
    ends_.push_back(bytes_.size());
  }
  // Each text becomes its words as classifiers read them, with spaces between them.
  void cut_texts() {
    WordSplitter splitter;
    Block cut;
    cut.first_ = first_;
    std::string words;
    for (std::size_t k = 0; k < size(); ++k) {
      words.clear();
      for (const std::string_view word : splitter.split(text(k))) (words += word) += ' ';
      cut.add(words, answer(k));
    }
    *this = std::move(cut);
  }
  std::size_t size() const { return ends_.size() / 2; }
  std::int64_t number(std::size_t k) const { return first_ + static_cast<std::int64_t>(k); }
  std::string_view text(std::size_t k) const { return part(2 * k); }
  std::string_view answer(std::size_t k) const { return part(2 * k + 1); }

 private:
  std::string_view part(std::size_t k) const {
    const std::size_t begin = k == 0 ? 0 : ends_[k - 1];
    return std::string_view(bytes_).substr(begin, ends_[k] - begin);
  }

  std::int64_t first_ = 0;
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

// Words and their ids.
class WordIds {
 public:
  WordIds() = default;
  explicit WordIds(std::vector<std::string> words) : words_(std::move(words)) {
    ids_.reserve(words_.size());
    for (std::size_t id = 0; id < words_.size(); ++id) ids_.emplace(words_[id], static_cast<int>(id));
  }
  WordIds(WordIds&&) = default;  // the words stay where they are, and ids_ looks at them
  WordIds& operator=(WordIds&&) = default;

  int size() const { return static_cast<int>(words_.size()); }
  const std::string& word(int id) const { return words_[static_cast<std::size_t>(id)]; }
  int id(std::string_view word) const {
    const auto found = ids_.find(word);
    return found == ids_.end() ? -1 : found->second;
  }
  void ids(std::string_view text, std::vector<int>& ids) const {
    ids.clear();
    each_word(text, [&](std::string_view word) {
      if (const int found = id(word); found >= 0) ids.push_back(found);
    });
  }

 private:
  std::vector<std::string> words_;
  std::unordered_map<std::string_view, int> ids_;
};

class TextBags final : public BagSource {
 public:
  TextBags(const TextSource& source, Team& team, const Progress& progress)
      : source_(source), classes_(source.target.empty() && source.target_file.empty()) {
    source_.bad = BadLine::stop;
    WordCounts inputs(most_words), outputs(most_words);
    std::set<std::string, std::less<>> labels;
    std::int64_t labelled = 0;
    const Location location{source_.file.string()};
    struct Found {
      BlockCounts inputs, outputs;  // a label counts as one word
    };
    std::vector<Found> found(round_blocks);
    const auto count = [&](int, std::size_t b, const Block& block) {
      for (std::size_t k = 0; k < block.size(); ++k) {
        each_word(block.text(k), [&](std::string_view word) { ++found[b].inputs[word]; });
        if (classes_) ++found[b].outputs[block.answer(k)];
        else each_word(block.answer(k), [&](std::string_view word) { ++found[b].outputs[word]; });
      }
    };
    const auto gather = [&](std::size_t blocks) {
      for (std::size_t b = 0; b < blocks; ++b) {
        inputs.add(found[b].inputs);
        if (classes_)
          for (const auto& [label, texts] : found[b].outputs) {
            labels.emplace(label);
            labelled += texts;
          }
        else outputs.add(found[b].outputs);
        found[b] = {};
      }
      check_most_classes(labels.size(), most_classes, labelled, location);
    };
    size_ = each_block(team, progress, count, gather);
    if (classes_) check_classes(labels.size(), labels.empty() ? "" : *labels.begin(), size_, location);
    inputs_ = WordIds(inputs.words());
    outputs_ = WordIds(classes_ ? std::vector<std::string>(labels.begin(), labels.end()) : outputs.words());
  }

  Outputs outputs_are() const override { return classes_ ? Outputs::classes : Outputs::words; }
  int inputs() const override { return inputs_.size(); }
  int outputs() const override { return outputs_.size(); }
  std::string input_word(int id) const override { return inputs_.word(id); }
  std::string output_word(int id) const override { return outputs_.word(id); }
  std::int64_t size() const override { return size_; }
  std::vector<std::string> cut(std::string_view text) const override {
    return classes_ ? cut_words(text) : BagSource::cut(text);
  }

  void each(Team& team, const Visit& visit, const Progress& progress) const override {
    struct Words {
      std::vector<int> input, output;
    };
    std::vector<Words> words(static_cast<std::size_t>(team.threads()));
    const auto hand_out = [&](int worker, std::size_t, const Block& block) {
      Words& here = words[static_cast<std::size_t>(worker)];
      for (std::size_t k = 0; k < block.size(); ++k) {
        inputs_.ids(block.text(k), here.input);
        if (classes_) here.output.assign(1, outputs_.id(block.answer(k)));
        else outputs_.ids(block.answer(k), here.output);
        visit(worker, {block.number(k), here.input, here.output});
      }
    };
    each_block(team, progress, hand_out, [](std::size_t) {});
  }

 private:
  // work(worker, position in the round, block) for every block of examples, side by side; done(blocks) after each
  // round. Returns how many examples there were.
  template <class Work, class Done>
  std::int64_t each_block(Team& team, const Progress& progress, Work&& work, Done&& done) const {
    TextReader reader(source_);
    std::vector<Block> round(round_blocks);
    std::int64_t read = 0;
    for (bool more = true; more;) {
      std::size_t blocks = 0;
      for (TextExample example; more && blocks < round_blocks;) {
        Block& block = round[blocks];
        block.clear(read);
        while (block.size() < block_examples && (more = reader.next(example)))
          block.add(example.text, classes_ ? example.label : example.target);
        read += static_cast<std::int64_t>(block.size());
        if (block.size() > 0) ++blocks;
      }
      team.each(team.threads(), [&](int worker) {
        for (auto b = static_cast<std::size_t>(worker); b < blocks; b += static_cast<std::size_t>(team.threads())) {
          if (classes_) round[b].cut_texts();
          work(worker, b, round[b]);
        }
      });
      done(blocks);
      if (progress) progress(read, size_);
    }
    return read;
  }

  TextSource source_;
  bool classes_;
  std::int64_t size_ = 0;  // 0 while they are counted
  WordIds inputs_, outputs_;
};

}  // namespace

std::unique_ptr<BagSource> text_bags(const TextSource& source, Team& team, const BagSource::Progress& progress) {
  return std::make_unique<TextBags>(source, team, progress);
}

}  // namespace fovea
