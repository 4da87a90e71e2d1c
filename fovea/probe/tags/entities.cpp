// Probe `entities`: how many named entities a tagger finds, and the positions that it attends to (room probe/tags).
// The Evaluator (lab/train) calls it at each evaluation; it changes nothing. Its numbers, over the first examples of
// the split:
//
//   entity_f1, entity_precision, entity_recall   of spans, data/text/entity_spans.h
//   majority_f1, lexicon_f1                      F1 of rivals without a model, at the first evaluation,
//                                                theory/prediction/tag_rivals.h
//   word_weight_begin                            mean attention of a word with a B tag on itself
//   predicted_attended                           share of words with a B tag whose largest weight is at the position of
//                                                the strongest cue, theory/prediction/tag_cues.h
//   predicted_attended_chance                    the same of random positions
//   name_agreement, name_agreement_chance        of words with B and I tags: how often attention is largest where β
//                                                is, and how often with β shuffled, probe/agreement.h
//   outside_agreement, outside_agreement_chance  the same over words with the tag O
//   tag_agreement_TAG, tag_agreement_TAG_chance  the same over words with one tag
//
// Attention and β are compared at the positions that a row can attend to: those with weight or β.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "fovea/data/text/entity_spans.h"
#include "fovea/probe/agreement.h"
#include "fovea/probe/position_rows.h"
#include "fovea/probe/survey.h"
#include "fovea/theory/prediction/tag_cues.h"
#include "fovea/theory/prediction/tag_rivals.h"

namespace fovea {

namespace {

constexpr std::int64_t fresh_sentences = 2000;  // of a task without end, for rivals and cues

class EntitiesProbe final : public SurveyProbe {
 public:
  void settings(Fields& fields) override {
    fields.integer("examples", examples_, 1, 1'000'000, "number of sentences, the same ones at every evaluation");
    fields.integer("reach", reach_, 0, 20, "number of words on each side among which cues are counted");
  }
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::tagged_tokens, "entities");
  }
  bool wants_beta() const override { return true; }
  int count() const override { return examples_; }

  void survey(const SurveyBatch& at, Readings&) override {
    const Evaluation& evaluation = at.evaluation;
    const Batch& batch = evaluation.batch;
    if (tags_.empty()) tags_ = tag_names(evaluation.task);
    if (evaluation.first && !rivals_) rivals_.emplace(evaluation.task, fresh_sentences);
    if (!evaluation.outcome.attention.empty() && !cues_) cues_.emplace(evaluation.task, reach_, fresh_sentences);
    for (int b = 0; b < batch.size; ++b) {
      if (at.indices[static_cast<std::size_t>(b)] >= examples_) continue;
      count_spans(evaluation, b);
      for (int t = 0; t < batch.source.lengths[static_cast<std::size_t>(b)]; ++t) compare(evaluation, b, t);
    }
  }

  void conclude(Readings& readings) override {
    readings.number("entity_f1", spans_.f1());
    readings.number("entity_precision", spans_.precision());
    readings.number("entity_recall", spans_.recall());
    if (rivals_) {
      readings.number("majority_f1", majority_.f1());
      readings.number("lexicon_f1", lexicon_.f1());
    }
    if (begin_words_ > 0) readings.number("word_weight_begin", begin_weight_ / static_cast<double>(begin_words_));
    predicted_.tell(readings, "predicted_attended");
    Compared names, outside;
    for (const auto& [tag, compared] : of_tags_) {
      const std::string& name = tags_[static_cast<std::size_t>(tag)];
      (name == "O" ? outside : names).add(compared);
      if (name != "O") compared.tell(readings, "tag_agreement_" + as_metric(name));
    }
    names.tell(readings, "name_agreement");
    outside.tell(readings, "outside_agreement");
    spans_ = majority_ = lexicon_ = {};
    predicted_ = {};
    begin_weight_ = 0;
    begin_words_ = 0;
    of_tags_.clear();
    rivals_.reset();
  }

 private:
  struct Compared {
    std::int64_t rows = 0, agreed = 0;
    double chance = 0;
    void add(const Compared& other) {
      rows += other.rows;
      agreed += other.agreed;
      chance += other.chance;
    }
    void tell(Readings& readings, const std::string& name) const {
      if (rows == 0) return;
      readings.number(name, static_cast<double>(agreed) / static_cast<double>(rows));
      readings.number(name + "_chance", chance / static_cast<double>(rows));
    }
  };

  static std::string as_metric(std::string name) {
    for (char& c : name)
      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))) c = '_';
    return name;
  }

  void count_spans(const Evaluation& evaluation, int b) {
    const Batch& batch = evaluation.batch;
    const std::span<const int> words = batch.source.row(b);
    std::vector<std::string_view> said, wanted;
    for (int t = 0; t < static_cast<int>(words.size()); ++t) {
      said.push_back(tags_[static_cast<std::size_t>(
          argmax(evaluation.outcome.scores[Index{b} * batch.target.columns + t].flat()))]);
      wanted.push_back(tags_[static_cast<std::size_t>(batch.target.at(b, t))]);
    }
    spans_.add(said, wanted);
    if (!rivals_) return;
    majority_.add(rivals_->by_majority(words), wanted);
    lexicon_.add(rivals_->by_lexicon(words), wanted);
  }

  void compare(const Evaluation& evaluation, int b, int t) {
    const Cube<float>& attention = evaluation.outcome.attention;
    if (attention.empty()) return;
    const int tag = evaluation.batch.target.at(b, t),
              length = evaluation.batch.source.lengths[static_cast<std::size_t>(b)];
    if (tags_[static_cast<std::size_t>(tag)].starts_with("B-")) {
      begin_weight_ += static_cast<double>(attention(b, t, t));
      ++begin_words_;
      compare_predicted(evaluation, b, t, tag);
    }
    if (evaluation.beta.empty()) return;
    weights_.clear();
    betas_.clear();
    for (int s = 0; s < length; ++s) {
      if (attention(b, t, s) == 0 && evaluation.beta(b, t, s) == 0) continue;
      weights_.push_back(static_cast<double>(attention(b, t, s)));
      betas_.push_back(static_cast<double>(evaluation.beta(b, t, s)));
    }
    if (weights_.empty()) return;
    of_tags_[tag].add({1, agrees(weights_, betas_), agreement_by_chance(betas_)});
  }

  void compare_predicted(const Evaluation& evaluation, int b, int t, int tag) {
    const std::span<const int> words = evaluation.batch.source.row(b);
    const int position = cues_->predicted(words, t, tag);
    if (position < 0) return;
    const std::span<const float> weights = evaluation.outcome.attention[b][t].flat().first(words.size());
    const auto attended = std::ranges::count_if(weights, [](float w) { return w > 0; });
    predicted_.add({1, argmax(weights) == position, 1.0 / static_cast<double>(std::max<std::ptrdiff_t>(attended, 1))});
  }

  int examples_ = 1000, reach_ = 2;
  std::optional<TagCues> cues_;  // of the task alone, so a resumed run counts the same

  // Of the survey at hand.
  std::vector<std::string> tags_;
  std::optional<TagRivals> rivals_;
  SpanCounts spans_, majority_, lexicon_;
  double begin_weight_ = 0;
  std::int64_t begin_words_ = 0;
  Compared predicted_;
  std::map<int, Compared> of_tags_;
  std::vector<double> weights_, betas_;
};

const Register<Probe> entities_probe("entities", "F1 of named entities, and the positions that a tagger attends to",
                                     [] { return std::make_unique<EntitiesProbe>(); });

}  // namespace

}  // namespace fovea
