#include "fovea/view/terminal/shades.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/base/functions/functions.h"
#include "fovea/io/utf8.h"
#include "fovea/view/canvas/canvas.h"

namespace fovea {

namespace {

constexpr std::array<const char*, 5> blocks{"", "░", "▒", "▓", "█"};
constexpr int levels = 4;
// Backgrounds of the 256-colour palette, light to full, and whether letters on them must be white.
constexpr std::array<int, 5> blue{0, 195, 153, 75, 26}, red{0, 224, 217, 203, 160};

int level_of(double shade) { return static_cast<int>(std::lround(std::abs(shade) * levels)); }

std::string shaded(const std::string& word, double shade, const Terminal& terminal) {
  const auto level = static_cast<std::size_t>(level_of(shade));
  if (level == 0) return word;
  if (!terminal.color) return fmt::format("{}{}{}", word, shade < 0 ? "-" : "", blocks[level]);
  return fmt::format("\x1b[48;5;{};38;5;{}m{}\x1b[0m", (shade < 0 ? red : blue)[level], level >= 3 ? 231 : 16, word);
}

int width_of(const std::string& word, double shade, const Terminal& terminal) {
  const int level = level_of(shade);
  const int mark = terminal.color || level == 0 ? 0 : shade < 0 ? 2 : 1;
  return display_width(word) + mark;
}

// The words of a column, folded to lines of at most `width`; each with how wide it is on the screen.
std::vector<std::pair<std::string, int>> folded(const std::vector<std::string>& words,
                                                const std::vector<double>& shades, int width,
                                                const Terminal& terminal) {
  std::vector<std::pair<std::string, int>> lines(1);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const int wide = width_of(words[i], shades[i], terminal);
    if (lines.back().second > 0 && lines.back().second + 1 + wide > width) lines.emplace_back();
    auto& [line, columns] = lines.back();
    if (columns > 0) line += ' ', ++columns;
    line += shaded(words[i], shades[i], terminal);
    columns += wide;
  }
  return lines;
}

std::string words_text(const ExampleView& seen, const Terminal& terminal) {
  constexpr int gap = 3, without_limit = 110;
  const int count = static_cast<int>(seen.quantities.size());
  const int all = terminal.width > 0 ? terminal.width : without_limit;
  const int width = std::max(4, (all - gap * (count - 1)) / std::max(1, count));
  std::vector<std::vector<std::pair<std::string, int>>> columns;
  std::size_t lines = 0;
  for (const ExampleView::Quantity& quantity : seen.quantities) {
    columns.push_back(folded(seen.source, shades_of(quantity.rows.front(), quantity.log_probability), width, terminal));
    columns.back().insert(columns.back().begin(), {toned(quantity.name, Tone::strong, terminal), 1});
    lines = std::max(lines, columns.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < lines; ++line) {
    std::string row;
    int at = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (line >= columns[c].size()) continue;
      const int begin = static_cast<int>(c) * (width + gap);
      row += std::string(static_cast<std::size_t>(std::max(0, begin - at)), ' ') + columns[c][line].first;
      at = begin + columns[c][line].second;
    }
    text += row + "\n";
  }
  return text;
}

std::string matrix_text(const ExampleView& seen, const Terminal& terminal) {
  int heads = 0;
  for (const std::string& word : seen.target) heads = std::max(heads, display_width(word));
  std::string text;
  // A cell is two characters wide, and one if the terminal is too narrow.
  const int needed = heads + 2 + 2 * static_cast<int>(seen.source.size());
  const bool narrow = terminal.width > 0 && needed > terminal.width;
  for (const ExampleView::Quantity& quantity : seen.quantities) {
    text += fmt::format("{}, with a row for each word or position, and a column for each source word\n",
                        toned(quantity.name, Tone::strong, terminal));
    for (std::size_t t = 0; t < quantity.rows.size(); ++t) {
      const std::string& word = seen.target[t];
      text += std::string(static_cast<std::size_t>(heads - display_width(word)), ' ') + word + " │";
      for (const double shade : shades_of(quantity.rows[t], quantity.log_probability)) {
        const char* const block = blocks[static_cast<std::size_t>(level_of(shade))];
        const std::string second = *block ? shade < 0 ? "-" : block : " ";
        text += narrow ? second : (*block ? block : " ") + second;
      }
      text += "\n";
    }
    text += "\n";
  }
  std::string source = "source, from left to right:";
  for (const std::string& word : seen.source) source += " " + word;
  return text + wrapped(source, terminal.width) + "\n";
}

// Whether the tagger answers another tag than the right one.
bool is_mistaken(const ExampleView& seen, std::size_t t) {
  return !seen.answers.empty() && seen.answers[t] != seen.target[t];
}

// The text once for each word that has a tag or is given one, shaded by where that word attends.
std::string tags_text(const ExampleView& seen, const Terminal& terminal) {
  constexpr int without_limit = 110;
  const auto head_of = [&](std::size_t t) {
    return seen.target[t] + (is_mistaken(seen, t) ? " → " + seen.answers[t] : "") + " " + seen.source[t] + " │ ";
  };
  std::vector<std::size_t> names;
  int heads = 0;
  for (std::size_t t = 0; t < seen.target.size(); ++t) {
    if (seen.target[t] == "O" && !is_mistaken(seen, t)) continue;
    names.push_back(t);
    heads = std::max(heads, display_width(head_of(t)));
  }
  if (names.empty()) return "";
  const int width = std::max(20, (terminal.width > 0 ? terminal.width : without_limit) - heads);
  std::string text;
  for (const ExampleView::Quantity& quantity : seen.quantities) {
    text += fmt::format("{}, of each word with a tag\n", toned(quantity.name, Tone::strong, terminal));
    for (const std::size_t t : names) {
      std::string head = head_of(t);
      head.insert(0, static_cast<std::size_t>(heads - display_width(head)), ' ');
      for (const auto& [line, wide] :
           folded(seen.source, shades_of(quantity.rows[t], quantity.log_probability), width, terminal)) {
        text += head + line + "\n";
        head = std::string(static_cast<std::size_t>(heads), ' ');
      }
    }
    text += "\n";
  }
  return text;
}

std::string background(double shade) {
  return fmt::format("background:rgba({},{:.2f})", shade < 0 ? "200,60,40" : "40,110,200", 0.75 * std::abs(shade));
}

}  // namespace

std::vector<double> shades_of(const std::vector<double>& row, bool log_probability) {
  std::vector<double> shades = row;
  if (log_probability)
    for (double& x : shades) x = math::exp(x);
  double most = 0;
  for (const double x : shades) most = std::max(most, std::abs(x));
  for (double& x : shades) x = most > 0 ? x / most : 0;
  return shades;
}

namespace {

// What each quantity is, a line for each.
std::string legend(const ExampleView& seen) {
  std::string text;
  for (const ExampleView::Quantity& quantity : seen.quantities) {
    const char* const says = quantity.name == "α"   ? "attention"
                             : quantity.name == "β" ? "evidence of the word alone"
                                                    : "influence of the word on the answer";
    text += fmt::format("{}  {}\n", quantity.name, says);
  }
  for (std::size_t t = 0; t < seen.target.size(); ++t)
    if (is_mistaken(seen, t)) return text + "→  the right tag, and the tagger's answer\n";
  return text;
}

}  // namespace

std::string shades_text(const ExampleView& seen, const Terminal& terminal) {
  std::string text = fmt::format("run {}, example {}, step {}", seen.run, seen.example, seen.step);
  if (!seen.row.empty()) text += fmt::format(", {}", printable(seen.row));
  else if (seen.target.empty()) text += fmt::format(", class {}", printable(seen.label));
  if (!seen.maps.empty())
    text +=
        '\n' + wrapped(fmt::format("α is the map '{}', of {}", seen.map, fmt::join(seen.maps, ", ")), terminal.width);
  const auto body_of = seen.target.empty() ? words_text : seen.tagged ? tags_text : matrix_text;
  const std::string body = body_of(seen, terminal);
  if (body.empty()) return text + "\n\nNo word of this sentence is of a name. Choose another sentence.\n";
  return fmt::format("{}\n\n{}\n{}", text, body, legend(seen));
}

std::string shades_html(const ExampleView& seen) {
  std::string html =
      "<figure class=\"shades\">\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Words by weight\">";
  if (seen.target.empty()) {
    html += "<table>\n<tbody>\n";
    for (const ExampleView::Quantity& quantity : seen.quantities) {
      const std::vector<double> shades = shades_of(quantity.rows.front(), quantity.log_probability);
      html += fmt::format("<tr><th scope=\"row\">{}</th><td>", escape_markup(quantity.name));
      for (std::size_t s = 0; s < seen.source.size(); ++s)
        html += fmt::format("<span style=\"{}\" title=\"{:.4g}\">{}</span> ", background(shades[s]),
                            quantity.rows.front()[s], escape_markup(seen.source[s]));
      html += "</td></tr>\n";
    }
    html += "</tbody></table>";
  } else {
    for (const ExampleView::Quantity& quantity : seen.quantities) {
      html += fmt::format("<table>\n<thead><tr><th scope=\"col\">{}</th>", escape_markup(quantity.name));
      for (const std::string& word : seen.source) html += fmt::format("<th scope=\"col\">{}</th>", escape_markup(word));
      html += "</tr></thead>\n<tbody>\n";
      for (std::size_t t = 0; t < quantity.rows.size(); ++t) {
        const std::vector<double> shades = shades_of(quantity.rows[t], quantity.log_probability);
        html += fmt::format("<tr><th scope=\"row\">{}</th>", escape_markup(seen.target[t]));
        for (std::size_t s = 0; s < shades.size(); ++s)
          html += fmt::format("<td style=\"{}\" title=\"{:.4g}\"></td>", background(shades[s]), quantity.rows[t][s]);
        html += "</tr>\n";
      }
      html += "</tbody></table>\n";
    }
  }
  const std::string what = seen.target.empty() ? fmt::format("class {}", seen.label)
                           : seen.tagged       ? "words with tags"
                                               : "a translation";
  return html + fmt::format(
                    "</div>\n"
                    "<figcaption>Run {}, example {} ({}), at step {}: blue speaks for the right answer, red against "
                    "the right answer.</figcaption>\n"
                    "</figure>\n",
                    seen.run, seen.example, escape_markup(what), seen.step);
}

}  // namespace fovea
