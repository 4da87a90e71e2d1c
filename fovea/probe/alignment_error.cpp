// Probe `alignment_error`: how far the links of attention are from gold links between words, as the alignment error
// rate, AER (room probe). The Evaluator (lab/train) calls it at each evaluation; it changes nothing.
//
//   A = {(argmax_s α_ts, t)}     as words, each pair once; without links to the end of the source
//   alignment_error = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)     S: sure links, P ⊇ S: sure and possible links
//
// Counts are summed over all pairs. Beside it: A with its source words one back and one forward, since models often
// settle one off; the diagonal, A = {(⌊(t + ½) n / m⌋, t)} of n source and m target words; and its mean for links to
// source words drawn at random.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fovea/base/file.h"
#include "fovea/data/text/reference_text.h"
#include "fovea/io/digest.h"
#include "fovea/probe/position_rows.h"
#include "fovea/probe/survey.h"

namespace fovea {

namespace {

constexpr std::size_t most_gold_bytes = 256u << 20;

// Sums over pairs. Those of random links are means.
struct LinkCounts {
  double made = 0, sure = 0, possible = 0;  // |A|, |A ∩ S|, |A ∩ P|

  double error(double gold_sure) const { return 1 - (sure + possible) / (made + gold_sure); }
};

class AlignmentError : public SurveyProbe {
 public:
  void settings(Fields& fields) override {
    fields.text("gold", gold_file_,
                "file of word alignments in Pharaoh's format, a line for each of the first pairs of the split; empty: "
                "those that come with the texts");
    fields.text("digest", digest_, "digest that this file must have; empty: the digest now");
    fields.integer("examples", examples_, 1, 1'000'000,
                   "number of pairs that are measured, the same ones at every evaluation");
  }

  void pin() override {
    if (!gold_file_.empty()) digest_ = digest_of_file();
  }

  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "alignment_error");
    need_kind(shape.kind, Kind::token_pairs, "alignment_error");
    if (gold_file_.empty()) return;
    if (const std::string digest = digest_of_file(); !digest_.empty() && digest_ != digest)
      throw wrong_input(fmt::format("has changed since this run was made: the digest is {}, not {}", digest, digest_),
                        "name the original file, or leave probe.alignment_error.digest empty", {gold_file_});
    gold_ = read_alignments(gold_file_);
  }

  int count() const override {
    return gold_file_.empty() ? examples_ : std::min(examples_, static_cast<int>(std::ssize(gold_)));
  }

  void survey(const SurveyBatch& at, Readings&) override {
    const WrittenTargets* const words = at.evaluation.task.written_targets();
    if (!words) throw wrong_input("probe 'alignment_error' needs texts, and the task gives none", "remove the probe");
    const Cube<const float> attention = at.evaluation.outcome.attention;
    for (Index b = 0; b < at.evaluation.batch.size; ++b) {
      const int example = at.indices[static_cast<std::size_t>(b)];
      if (example >= count()) continue;
      const WordAlignment* const gold =
          gold_file_.empty() ? words->alignment(at.split, example) : &gold_[static_cast<std::size_t>(example)];
      const std::span<const int> source = words->source_words(at.split, example),
                                 target = words->target_words(at.split, example);
      if (!gold)
        throw wrong_input("probe 'alignment_error' needs word alignments, and these texts have none",
                          "name a file of them as probe.alignment_error.gold, or remove the probe");
      if (source.empty() || target.empty())
        throw wrong_input(fmt::format("a token of pair {} is a part of two words", example + 1),
                          "use words in place of pieces (task.units)", gold->location);
      add(*gold, attention, b, source, target);
    }
  }

  void conclude(Readings& readings) override {
    if (gold_file_.size() > 0 && measured_ < count())
      throw wrong_input(fmt::format("has {} lines, and the split has {} pairs", gold_.size(), measured_),
                        "write one line for each pair, from the first", {gold_file_});
    if (measured_ > 0) {
      const std::array<const char*, 5> names{"", "_shifted_back", "_shifted_forward", "_diagonal", "_chance"};
      for (std::size_t i = 0; i < names.size(); ++i)
        if (counts_[i].made + gold_sure_ > 0)
          readings.number(fmt::format("alignment_error{}", names[i]), counts_[i].error(gold_sure_));
    }
    counts_ = {};
    gold_sure_ = 0;
    measured_ = 0;
  }

 private:
  enum : std::size_t { own, back, forward, diagonal, chance };
  using Links = std::vector<std::pair<int, int>>;

  std::string digest_of_file() const {
    Digest digest;
    digest.add(read_file(gold_file_, most_gold_bytes));
    return digest.hex();
  }

  void add(const WordAlignment& gold, Cube<const float> attention, Index example, std::span<const int> source,
           std::span<const int> target) {
    const int sources = source.back() + 1, targets = target.back() + 1;
    for (const AlignedPair& link : gold.links) {
      if (link.source < sources && link.target < targets) continue;
      throw wrong_input(fmt::format("the link {}{}{} is outside of the pair: its texts have {} and {} words",
                                    link.source, link.sure ? '-' : 'p', link.target, sources, targets),
                        "number words from 0, as blanks part them, the source first", gold.location);
    }
    Links links;
    for (Index token = 0; token < std::ssize(target); ++token) {
      const float* const row = attention.data() + (example * attention.size(1) + token) * attention.size(2);
      const auto top = static_cast<std::size_t>(argmax(std::span(row, source.size() + 1)));  // the end is a position
      if (top < source.size()) links.emplace_back(source[top], target[static_cast<std::size_t>(token)]);
    }
    for (const auto& [kind, shift] : {std::pair(own, 0), {back, -1}, {forward, 1}}) {
      Links shifted;
      for (const auto& [from, to] : links)
        if (from + shift >= 0 && from + shift < sources) shifted.emplace_back(from + shift, to);
      count_links(gold, std::move(shifted), counts_[kind]);
    }
    Links straight;
    for (int t = 0; t < targets; ++t) straight.emplace_back((2 * t + 1) * sources / (2 * targets), t);
    count_links(gold, std::move(straight), counts_[diagonal]);
    counts_[chance].made += targets;
    for (const AlignedPair& link : gold.links) {
      counts_[chance].possible += 1.0 / sources;
      if (!link.sure) continue;
      counts_[chance].sure += 1.0 / sources;
      ++gold_sure_;
    }
    ++measured_;
  }

  static void count_links(const WordAlignment& gold, Links links, LinkCounts& counts) {
    std::ranges::sort(links);
    links.erase(std::unique(links.begin(), links.end()), links.end());
    counts.made += static_cast<double>(links.size());
    for (const AlignedPair& link : gold.links) {
      if (!std::binary_search(links.begin(), links.end(), std::pair(link.source, link.target))) continue;
      ++counts.possible;
      counts.sure += link.sure;
    }
  }

  std::string gold_file_, digest_;
  int examples_ = 500;
  std::vector<WordAlignment> gold_;

  // Of the survey at hand.
  std::array<LinkCounts, 5> counts_{};
  double gold_sure_ = 0;
  int measured_ = 0;
};

const Register<Probe> alignment_error("alignment_error",
                                      "alignment error rate of attention against known links between words, shifted "
                                      "and not, and of the diagonal",
                                      [] { return std::make_unique<AlignmentError>(); });

}  // namespace

}  // namespace fovea
