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
      "𝒜(a, b) is the share of rows in which the largest a has the position of a large b. A b is large if fewer than "
      "5 % of b (rounded up) are greater. "
      "Brackets are 95 % bootstrap intervals over examples. 'By chance' is the mean of 𝒜 over all orders of b. A row "
      "is "
      "'clear' if the first interval is above the second. The columns τ-b and ρ are means over rows. The quantities α, "
      "β, Δ and βᵘᶠ are measured "
      "at the end of training. The quantities βᵖˣ and logistic β are measured at the evaluation with the least loss. "
      "'Most' is the largest 𝒜 of all evaluations of the uniform run, with its step.";
  if (measures.unpredicted.empty())
    text +=
        " 'Predicted' is the attention that is predicted from the training data alone. For a translation, the target "
        "word of the row is given. 'Common' and 'rare' are attention on the most and the least frequent words.";
  else text += " The prediction from the data alone is left out: " + measures.unpredicted + ".";
  const bool reaches = std::ranges::any_of(measures.rows, [](const Measures::Row& row) { return row.xi.has_value(); });
  if (reaches)
    text += fmt::format(
        " The column ξ(b) is the mean {} of the other seeds when their attention first agrees with α better than b "
        "does, with the step.",
        performance_name(measures));
  return text;
}

// The relation of two orders, in words.
std::string ranks_words(const Estimate& tau) {
  if (tau.high < 0) return "ranks words in the opposite order of attention";
  if (!(tau.low > 0)) return "was not shown to rank words as attention does";
  if (tau.mean < 0.1) return "ranks words almost independently of attention";
  if (tau.mean < 0.5) return "ranks words somewhat as attention does";
  return "ranks words mostly as attention does";
}

}  // namespace

std::vector<std::string> measures_verdict(const Measures& measures) {
  constexpr std::pair<const char*, const char*> asked[] = {
      {"α of other seeds", "another seed's attention"},
      {"predicted", "attention that is predicted from the data alone"},
      {"β", "β, the evidence of each word alone,"},
      {"Δ", "Δ, the growth of the loss as a word fades,"},
  };
  std::vector<std::string> sentences;
  for (const auto& [name, says] : asked)
    for (const Measures::Row& row : measures.rows) {
      if (row.a != "α" || row.b != name || std::isnan(row.tau.mean)) continue;
      sentences.push_back(fmt::format("{} {}: τ-b {} (-1: opposite order, 0: chance, 1: same order).", says,
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
      "<h4>Agreement of attention with the evidence of single words</h4>\n<p>{}; best {} of the reference run: {} at "
      "step "
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
