#include "fovea/probe/bleu.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fovea/base/functions/functions.h"
#include "fovea/data/text/reference_text.h"
#include "fovea/probe/survey.h"

namespace fovea {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool stop(char c) { return c == '.' || c == ','; }

// What stands alone wherever it is: { to ~, [ to `, blank to &, ( to +, : to @, and /.
bool alone(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
         (c >= ':' && c <= '@') || c == '/';
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

// The text with `out(a, b)` in place of each pair of neighbours for which `in(a, b)`, found from the left; neither of a
// pair is looked at again.
template <class In, class Out>
std::string rewrite_pairs(const std::string& text, In&& in, Out&& out) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (i + 1 < text.size() && in(text[i], text[i + 1])) {
      result += out(text[i], text[i + 1]);
      i += 2;
    } else {
      result += text[i++];
    }
  }
  return result;
}

// Bytes of the blank that the text begins with, as Unicode has blanks; 0 if it does not.
std::size_t blank(std::string_view text) {
  const auto c = static_cast<unsigned char>(text[0]);
  if (c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f)) return 1;
  for (const std::string_view wide : {"\u0085", "\u00a0"})
    if (text.starts_with(wide)) return wide.size();
  for (const std::string_view wide :
       {"\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009",
        "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"})
    if (text.starts_with(wide)) return wide.size();
  return 0;
}

using Grams = std::map<std::vector<std::string>, std::int64_t>;

Grams grams_of(const std::vector<std::string>& words, std::size_t order) {
  Grams grams;
  for (std::size_t i = 0; i + order <= words.size(); ++i)
    ++grams[{words.begin() + static_cast<std::ptrdiff_t>(i), words.begin() + static_cast<std::ptrdiff_t>(i + order)}];
  return grams;
}

}  // namespace

std::vector<std::string> bleu_words(std::string_view original) {
  std::string text(original);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  std::string parted = " ";
  for (const char c : text + " ") parted += alone(c) ? std::string{' ', c, ' '} : std::string{c};
  // A stop or comma is a word unless it stands between digits; so is a dash behind a digit.
  parted = rewrite_pairs(
      parted, [](char a, char b) { return !digit(a) && stop(b); },
      [](char a, char b) { return std::string{a, ' ', b, ' '}; });
  parted = rewrite_pairs(
      parted, [](char a, char b) { return stop(a) && !digit(b); },
      [](char a, char b) { return std::string{' ', a, ' ', b}; });
  parted = rewrite_pairs(
      parted, [](char a, char b) { return digit(a) && b == '-'; },
      [](char a, char b) { return std::string{a, ' ', b, ' '}; });

  std::vector<std::string> words;
  bool open = false;
  for (std::size_t i = 0; i < parted.size();) {
    if (const std::size_t bytes = blank(std::string_view(parted).substr(i)); bytes > 0) {
      open = false;
      i += bytes;
      continue;
    }
    if (!std::exchange(open, true)) words.emplace_back();
    words.back() += parted[i++];
  }
  return words;
}

void BleuCounts::add(std::string_view said_text, std::string_view reference) {
  const std::vector<std::string> ours = bleu_words(said_text), theirs = bleu_words(reference);
  said += std::ssize(ours);
  wanted += std::ssize(theirs);
  for (std::size_t order = 1; order <= orders; ++order) {
    const Grams there = grams_of(theirs, order);
    for (const auto& [gram, count] : grams_of(ours, order)) {
      all[order - 1] += count;
      if (const auto found = there.find(gram); found != there.end())
        matches[order - 1] += std::min(count, found->second);
    }
  }
}

double BleuCounts::score() const {
  if (std::all_of(matches.begin(), matches.end(), [](std::int64_t n) { return n == 0; })) return 0;
  double logs = 0, halved = 1;
  for (std::size_t i = 0; i < orders; ++i) {
    if (all[i] == 0) return 0;
    double share = static_cast<double>(matches[i]) / static_cast<double>(all[i]);
    if (matches[i] == 0) share = 1 / ((halved *= 2) * static_cast<double>(all[i]));
    logs += math::log(share);
  }
  const double brevity = said < wanted ? math::exp(1 - static_cast<double>(wanted) / static_cast<double>(said)) : 1.0;
  return 100 * brevity * math::exp(logs / static_cast<double>(orders));
}

namespace {

// `bleu`: of what the model says itself for the first examples of the split, against what was written there.
class Bleu : public SurveyProbe {
 public:
  void settings(Fields& fields) override {
    fields.integer("examples", examples_, 1, 1'000'000,
                   "number of examples that are translated, the same ones at every evaluation");
    fields.integer("beams", search_.beams, 1, 1000, "beam width; 1: greedy search");
    fields.number("length_penalty", search_.length_penalty, 0, 10,
                  "length penalty: exponent of (5 + n) / 6, the divisor of log-probabilities of n tokens");
    fields.flag("last", last_, "measure BLEU only at the last evaluation");
  }

  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    if (shape.kind != Kind::token_pairs)
      throw wrong_input("probe 'bleu' measures translations, and the task gives " + kind_name(shape.kind),
                        "remove the probe");
  }

  int count() const override { return examples_; }

  void survey(const SurveyBatch& at, Readings&) override {
    const Evaluation& evaluation = at.evaluation;
    if ((last_ && !evaluation.last) || !at.generate) return;
    const std::vector<std::vector<int>> said = at.generate(search_);
    const WrittenTargets* const written = evaluation.task.written_targets();
    for (std::size_t b = 0; b < said.size(); ++b) {
      if (at.indices[b] >= examples_) continue;
      const auto target =
          std::span(evaluation.batch.target.ids)
              .subspan(b * static_cast<std::size_t>(evaluation.batch.target.columns),
                       static_cast<std::size_t>(evaluation.batch.target.lengths[b] - 1));  // without the end
      std::string wanted = written ? written->written_target(at.split, at.indices[b]) : "";
      if (wanted.empty()) wanted = text_of(evaluation.task, written, target);
      counts_.add(text_of(evaluation.task, written, said[b]), wanted);
    }
  }

  void conclude(Readings& readings) override {
    if (counts_.wanted > 0) readings.number("bleu", counts_.score());
    counts_ = {};
  }

 private:
  static std::string text_of(const Task& task, const WrittenTargets* written, std::span<const int> tokens) {
    if (written) return written->target_text(tokens);
    std::string text;
    for (const int token : tokens) text += (text.empty() ? "" : " ") + task.target_word(token);
    return text;
  }

  int examples_ = 100;
  Search search_;
  bool last_ = false;
  BleuCounts counts_;
};

const Register<Probe> bleu("bleu", "corpus BLEU of the model's own translations",
                           [] { return std::make_unique<Bleu>(); });

}  // namespace

}  // namespace fovea
