// Task `given-texts`: the class of a text, for texts that the spec itself contains (room data/tasks). lab/spec makes
// it by name for a run. It reads its settings and seed only.
//
// Words are separated by spaces and not changed. Some texts of each class, drawn by the seed, are held out for
// validation. Training visits the others in shuffled epochs, and the vocabulary is theirs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "fovea/base/registry.h"
#include "fovea/data/task.h"
#include "fovea/data/text/split_texts.h"
#include "fovea/data/text/token_texts.h"
#include "fovea/data/text/vocabulary.h"

namespace fovea {

namespace {

constexpr std::size_t most_texts = 20'000;
constexpr std::int64_t most_given_words = 1'000'000;
constexpr std::size_t most_labels = 100;

class GivenTexts final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.texts("texts", given_, "the texts, their words separated by spaces");
    fields.texts("labels", labels_, "class of each text");
    fields.number("held_out", held_out_, 0.05, 0.9, "share of each class that is used for validation");
    fields.integer("min_count", min_count_, 1, 1'000'000, "words seen less often in training are unknown");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    check();
    const std::set<std::string> names(labels_.begin(), labels_.end());
    classes_.assign(names.begin(), names.end());
    if (classes_.size() < 2)
      throw wrong_input(fmt::format("every text has the label '{}'", classes_.front()),
                        "give texts of two classes or more");
    if (classes_.size() > most_labels)
      throw wrong_input(
          fmt::format("there are {} different labels", classes_.size()),
          fmt::format("task 'given-texts' takes at most {}: is it the column of the label?", most_labels));
    std::vector<int> labels;
    for (const std::string& label : labels_)
      labels.push_back(static_cast<int>(std::lower_bound(classes_.begin(), classes_.end(), label) - classes_.begin()));
    const std::vector<Split> splits = split_by_fraction(labels, {.validation = held_out_, .test = 0}, seed);
    check_classes(labels, splits);
    read(labels, splits);
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::labelled_tokens;
    shape.vocab = vocabulary_.size();
    shape.classes = static_cast<int>(classes_.size());
    shape.unknown_token = Vocabulary::unknown;
    return shape;
  }

  std::int64_t examples(Split split) const override { return part(split).tokens.count(); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    fill_labelled(part(split), {seed_, "given-texts"}, split, step, size, batch);
  }

  std::string word(int token) const override { return vocabulary_.word(token); }
  std::string class_name(int label) const override { return classes_[static_cast<std::size_t>(label)]; }

 private:
  void check() const {
    if (given_.empty())
      throw wrong_input("there are no texts", "give them as task.texts, and their classes as task.labels");
    if (given_.size() != labels_.size())
      throw wrong_input(fmt::format("there are {} texts and {} labels", given_.size(), labels_.size()),
                        "give each text one label");
    if (given_.size() > most_texts)
      throw wrong_input(fmt::format("there are {} texts", given_.size()), Remedy::add_texts(most_texts));
    std::int64_t words = 0;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (labels_[i].empty())
        throw wrong_input(fmt::format("text {} has an empty label", i + 1), "name the class of the text");
      const std::int64_t before = words;
      each_word(given_[i], [&](std::string_view) { ++words; });
      if (words == before)
        throw wrong_input(fmt::format("text {} has no words", i + 1), "write a text, or remove the entry");
    }
    if (words > most_given_words)
      throw wrong_input(fmt::format("the texts have {} words", words), Remedy::add_texts(most_given_words));
  }

  // Each class must have texts on both sides. One to train on it has.
  void check_classes(const std::vector<int>& labels, const std::vector<Split>& splits) const {
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      int count = 0, held_out = 0;
      for (std::size_t i = 0; i < labels.size(); ++i)
        if (labels[i] == static_cast<int>(c)) ++count, held_out += splits[i] != Split::train;
      if (held_out > 0) continue;
      throw wrong_input(fmt::format("the class '{}' has {} text{}, too few to keep one for validation", classes_[c],
                                    count, count == 1 ? "" : "s"),
                        count == 1 ? "add texts of this class" : "add texts of this class, or raise task.held_out");
    }
  }

  void read(const std::vector<int>& labels, const std::vector<Split>& splits) {
    WordCounter counter;
    for (std::size_t i = 0; i < given_.size(); ++i)
      if (splits[i] == Split::train) each_word(given_[i], [&](std::string_view word) { counter.add(word); });
    vocabulary_ = Vocabulary(counter, min_count_, 0);
    parts_ = {};
    for (std::size_t i = 0; i < given_.size(); ++i) {
      LabelledTexts& part = parts_[static_cast<std::size_t>(splits[i])];
      part.tokens.begin();
      each_word(given_[i], [&](std::string_view word) { part.tokens.token(vocabulary_.number(word)); });
      part.labels.push_back(labels[i]);
    }
    mix_if_sorted(parts_[static_cast<std::size_t>(Split::validation)]);
  }

  const LabelledTexts& part(Split split) const { return parts_[static_cast<std::size_t>(split)]; }

  std::vector<std::string> given_, labels_;
  double held_out_ = 0.2;
  std::int64_t min_count_ = 1;

  std::uint64_t seed_ = 0;
  Vocabulary vocabulary_;
  std::vector<std::string> classes_;
  std::array<LabelledTexts, 3> parts_;  // by split
};

const Register<Task> given_texts_task("given-texts", "the class of a text, for texts of the spec",
                                      [] { return std::make_unique<GivenTexts>(); });

}  // namespace

}  // namespace fovea
