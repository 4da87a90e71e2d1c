#include "fovea/view/terminal/measures_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/view/canvas/canvas.h"

namespace fovea {

namespace {

std::string figure(double x) { return std::isnan(x) ? "-" : fmt::format("{:.3f}", x); }
std::string interval(const Estimate& x) {
  return fmt::format("{} [{}, {}]", figure(x.mean), figure(x.low), figure(x.high));
}

std::string most_text(const Measures::Row& row) {
  return row.most ? fmt::format("{} at {}", figure(row.most->first), row.most->second) : "";
}

std::string xi_text(const Measures::Row& row) {
  if (!row.xi) return "";
  return row.xi->step < 0 ? "never" : fmt::format("{} at {}", figure(row.xi->performance), row.xi->step);
}

std::string runs_text(const Measures& measures) {
  std::string text;
  for (const auto& [what, id] : measures.runs) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, id);
  return text;
}

std::string counts(const Measures& measures) {
  return measures.words == measures.examples
             ? fmt::format("{} examples", measures.examples)
             : fmt::format("{} target words of {} examples", measures.words, measures.examples);
}

std::string performance_name(const Measures& measures) { return measures.performance == "bleu" ? "BLEU" : "accuracy"; }

std::string legend(const Measures& measures) {
  std::string text =
      "𝒜(a, b): share of rows in which fewer than 5 % of b (rounded up) are greater than b where a is largest; in "
      "brackets 95 % of a bootstrap over examples. By chance: the same with b shuffled, on average over all orders; "
      "clear: the first bracket lies above the second. τ-b and ρ: means over rows. α, β, Δ and βᵘᶠ are those at the "
      "end of "
      "training, "
      "βᵖˣ and logistic β those of the evaluation with the least loss; 'most' is the largest 𝒜 over the evaluations "
      "of the uniform run, and its step.";
  if (measures.unpredicted.empty())
    text +=
        " Predicted: the attention that is predicted from the training data alone (for a translation, given the target "
        "word of the row); common, rare: attention on the most, the least frequent words there.";
  else text += " The prediction from the data alone is left out: " + measures.unpredicted + ".";
  const bool reaches = std::ranges::any_of(measures.rows, [](const Measures::Row& row) { return row.xi.has_value(); });
  if (reaches)
    text += fmt::format(
        " ξ(b): the mean {} of the other seeds at the first evaluation at which their attention agrees with α better "
        "than b does, and its step.",
        performance_name(measures));
  return text;
}

// How one order is to the other, in words.
std::string ranks_words(const Estimate& tau) {
  if (tau.high < 0) return "ranks words rather the other way round than attention";
  if (!(tau.low > 0)) return "was not shown to rank words as attention does";
  if (tau.mean < 0.1) return "hardly ranks words as attention does";
  if (tau.mean < 0.5) return "ranks words a little as attention does";
  return "ranks words much as attention does";
}

}  // namespace

std::vector<std::string> measures_verdict(const Measures& measures) {
  constexpr std::pair<const char*, const char*> asked[] = {
      {"α of other seeds", "another seed's attention"},
      {"predicted", "attention that is predicted from the data alone"},
      {"β", "β, what each word alone says,"},
      {"Δ", "Δ, how fast the loss grows as a word fades,"},
  };
  std::vector<std::string> sentences;
  for (const auto& [name, says] : asked)
    for (const Measures::Row& row : measures.rows) {
      if (row.a != "α" || row.b != name || std::isnan(row.tau.mean)) continue;
      sentences.push_back(fmt::format("{} {}: τ-b {} (-1 is the opposite order, 0 chance, 1 the same order).", says,
                                      ranks_words(row.tau), interval(row.tau)));
    }
  for (std::string& sentence : sentences)
    if (sentence.front() >= 'a' && sentence.front() <= 'z')
      sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
  return sentences;
}

std::string measures_text(const Measures& measures, const Terminal& terminal) {
  using Align = TextTable::Align;
  TextTable table({{"a"},
                   {"b"},
                   {"𝒜(a, b)", Align::right},
                   {"by chance", Align::right},
                   {"clear"},
                   {"τ-b", Align::right, false, 2},
                   {"ρ", Align::right, false, 3},
                   {"most", Align::right, false, 1},
                   {"ξ(b)", Align::right}});
  for (const Measures::Row& row : measures.rows)
    table.row({row.a,
               row.b,
               interval(row.agreement),
               interval(row.chance),
               {row.clear() ? "yes" : "no", row.clear() ? Tone::good : Tone::bad},
               figure(row.tau.mean),
               figure(row.rho.mean),
               most_text(row),
               xi_text(row)});
  std::string verdict;
  for (const std::string& sentence : measures_verdict(measures)) verdict += sentence + "\n";
  return fmt::format("{}{}{}; {}. Best {} of the reference run: {} at step {}.\n\n{}\n{}\n", verdict,
                     verdict.empty() ? "" : "\n", counts(measures), runs_text(measures), performance_name(measures),
                     figure(measures.best), measures.best_step, table.text(terminal), legend(measures));
}

std::string measures_html(const Measures& measures) {
  std::string html = fmt::format(
      "<h4>How far attention agrees with what words alone say</h4>\n<p>{}; best {} of the reference run: {} at step "
      "{}.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Agreement\"><table>\n<thead><tr>",
      escape_markup(counts(measures)), performance_name(measures), figure(measures.best), measures.best_step);
  for (const char* head : {"a", "b", "𝒜(a, b)", "by chance", "clear", "τ-b", "ρ", "most", "ξ(b)"})
    html += fmt::format("<th scope=\"col\">{}</th>", head);
  html += "</tr></thead>\n<tbody>\n";
  for (const Measures::Row& row : measures.rows) {
    html += "<tr>";
    for (const std::string& cell :
         {row.a, row.b, interval(row.agreement), interval(row.chance), std::string(row.clear() ? "yes" : "no"),
          interval(row.tau), interval(row.rho), most_text(row), xi_text(row)})
      html += fmt::format("<td>{}</td>", escape_markup(cell));
    html += "</tr>\n";
  }
  return html + fmt::format("</tbody></table></div>\n<p class=\"soft\">{}</p>\n", escape_markup(legend(measures)));
}

}  // namespace fovea
