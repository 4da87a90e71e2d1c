#include "fovea/view/terminal/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "fovea/base/number_text.h"
#include "fovea/view/canvas/canvas.h"

namespace fovea {

namespace {

int point_width(char32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return 0;
  if ((c >= 0x300 && c < 0x370) || (c >= 0x200b && c < 0x2010) || (c >= 0xfe00 && c < 0xfe10)) return 0;
  const bool full = (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) || (c >= 0xac00 && c < 0xd7a4) ||
                    (c >= 0xf900 && c < 0xfb00) || (c >= 0xff00 && c < 0xff61) || (c >= 0x1f300 && c < 0x1fb00) ||
                    (c >= 0x20000 && c < 0x40000);
  return full ? 2 : 1;
}

// Lines of at most `width` columns, broken at spaces, and within a word longer than a line if `cuts`.
std::vector<std::string> folded(const std::string& text, int width, bool cuts) {
  std::vector<std::string> lines;
  std::string line;
  int used = 0;
  const auto end_line = [&] {
    lines.push_back(std::move(line));
    line.clear();
    used = 0;
  };
  for (std::size_t i = 0; i <= text.size();) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    std::string word = text.substr(i, end - i);
    int wide = display_width(word);
    if (used > 0 && used + 1 + wide > width) end_line();
    if (used > 0) {
      line += ' ';
      ++used;
    }
    if (wide > width && cuts) {
      for (const char32_t c : code_points(word)) {
        const int w = point_width(c);
        if (used + w > width && used > 0) end_line();
        append_utf8(line, c);
        used += w;
      }
    } else {
      line += word;
      used += wide;
    }
    i = end + 1;
  }
  end_line();
  return lines;
}

// "attention_points_right" as "attention_", "accuracy".
std::vector<std::string> head_pieces(const std::string& head) {
  std::vector<std::string> pieces;
  for (std::size_t begin = 0; begin < head.size();) {
    const std::size_t end = std::min(head.find_first_of("_.", begin), head.size() - 1) + 1;
    pieces.push_back(head.substr(begin, end - begin));
    begin = end;
  }
  return pieces;
}

std::vector<std::string> folded_head(const std::string& head, int width) {
  std::vector<std::string> lines{""};
  for (const std::string& piece : head_pieces(head)) {
    if (!lines.back().empty() && display_width(lines.back() + piece) > width) lines.emplace_back();
    lines.back() += piece;
  }
  return lines;
}

constexpr int gap = 2;  // between columns

}  // namespace

Terminal Terminal::of(int file) {
  Terminal terminal;
  if (!isatty(file)) return terminal;
  winsize size{};
  terminal.width = ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const kind = std::getenv("TERM");
  terminal.color = !(no_color && *no_color) && kind && std::string_view(kind) != "dumb";
  return terminal;
}

int display_width(std::string_view text) {
  int width = 0;
  for (const char32_t c : code_points(text)) width += point_width(c);
  return width;
}

std::string shortened(const std::string& text, int columns) {
  if (display_width(text) <= columns) return text;
  std::string start;
  int used = 1;  // the ellipsis
  for (const char32_t c : code_points(text)) {
    used += point_width(c);
    if (used > columns) break;
    append_utf8(start, c);
  }
  return columns > 0 ? start + "…" : std::string();
}

std::string wrapped(const std::string& text, int columns) {
  if (columns == 0) return text;
  std::string lines;
  for (const std::string& line : folded(text, columns, false)) lines += (lines.empty() ? "" : "\n") + line;
  return lines;
}

std::string toned(const std::string& text, Tone tone, const Terminal& terminal) {
  if (!terminal.color || tone == Tone::plain || text.empty()) return text;
  const char* const code = tone == Tone::good ? "32" : tone == Tone::bad ? "1;31" : tone == Tone::faint ? "2" : "1";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void TextTable::row(std::vector<Cell> cells) {
  cells.resize(columns_.size(), Cell(""));
  for (Cell& cell : cells) {
    cell.text = clean_utf8(cell.text);
    std::replace(cell.text.begin(), cell.text.end(), '\n', ' ');
    std::replace(cell.text.begin(), cell.text.end(), '\t', ' ');
  }
  rows_.push_back(std::move(cells));
}

TextTable::Layout TextTable::layout(std::vector<std::size_t> columns, int limit) const {
  constexpr int least_wrapped = 12;
  Layout made{std::move(columns), {}, true};
  std::vector<int> folded_away;  // what folding its head saves in each column
  int total = -gap;
  for (const std::size_t c : made.columns) {
    int body = 0, piece = 0;
    for (const auto& row : rows_) body = std::max(body, display_width(row[c].text));
    for (const std::string& part : head_pieces(columns_[c].head)) piece = std::max(piece, display_width(part));
    made.width.push_back(std::max(body, display_width(columns_[c].head)));
    folded_away.push_back(made.width.back() - std::max(body, piece));
    total += made.width.back() + gap;
  }
  for (std::size_t i = made.width.size(); i-- > 0 && limit > 0 && total > limit;) {
    if (folded_away[i] == 0) continue;
    const int before = made.width[i], least = before - folded_away[i];
    made.width[i] = least;
    for (const std::string& line :
         folded_head(columns_[made.columns[i]].head, before - std::min(folded_away[i], total - limit)))
      made.width[i] = std::max(made.width[i], display_width(line));
    total -= before - made.width[i];
  }
  while (limit > 0 && total > limit) {  // the widest of those that may wrap gives way first
    std::size_t widest = made.columns.size();
    for (std::size_t i = 0; i < made.columns.size(); ++i)
      if (columns_[made.columns[i]].wraps && made.width[i] > least_wrapped &&
          (widest == made.columns.size() || made.width[i] > made.width[widest]))
        widest = i;
    if (widest == made.columns.size()) break;
    --made.width[widest];
    --total;
  }
  made.fits = limit <= 0 || total <= limit;
  return made;
}

std::string TextTable::text(const Terminal& terminal, std::vector<std::string>* left_out) const {
  std::vector<std::size_t> shown(columns_.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  Layout plan = layout(shown, terminal.width);
  while (!plan.fits) {
    std::size_t last = shown.size();
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (const int rank = columns_[shown[i]].rank;
          rank > 0 && (last == shown.size() || rank >= columns_[shown[last]].rank))
        last = i;
    if (last == shown.size()) break;
    if (left_out) left_out->push_back(columns_[shown[last]].head);
    shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(last));
    plan = layout(shown, terminal.width);
  }

  std::string out;
  // lines[i]: of the cell in the i-th shown column; a head stands at the foot of its row.
  const auto put = [&](const std::vector<std::vector<std::string>>& lines, const auto& tone, bool at_foot) {
    std::size_t high = 1;
    for (const auto& cell : lines) high = std::max(high, cell.size());
    for (std::size_t k = 0; k < high; ++k) {
      std::string line;
      int owed = 0;  // spaces before the next text, so that no line ends in spaces
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::size_t above = at_foot ? high - lines[i].size() : 0;
        const std::string part = k >= above && k - above < lines[i].size() ? lines[i][k - above] : "";
        const int room = plan.width[i] - display_width(part);
        if (i) owed += gap;
        if (part.empty()) {
          owed += room;
          continue;
        }
        const bool right = columns_[plan.columns[i]].align == Align::right;
        line += std::string(static_cast<std::size_t>(owed + (right ? room : 0)), ' ') + toned(part, tone(i), terminal);
        owed = right ? 0 : room;
      }
      out += line + '\n';
    }
  };
  std::vector<std::vector<std::string>> heads;
  for (std::size_t i = 0; i < plan.columns.size(); ++i)
    heads.push_back(folded_head(columns_[plan.columns[i]].head, plan.width[i]));
  put(heads, [](std::size_t) { return Tone::strong; }, true);
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    for (std::size_t i = 0; i < plan.columns.size(); ++i)
      cells.push_back(folded(row[plan.columns[i]].text, plan.width[i], true));
    put(cells, [&](std::size_t i) { return row[plan.columns[i]].tone; }, false);
  }
  return out;
}

std::string sparkline(std::span<const double> values, int width) {
  static const char* const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.empty() || width <= 0) return {};
  const std::size_t slots = std::min(values.size(), static_cast<std::size_t>(width));
  std::vector<double> shown(slots, NAN);
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (std::size_t s = 0; s < slots; ++s) {  // the mean of the values that share a slot
    double sum = 0;
    int taken = 0;
    for (std::size_t i = s * values.size() / slots; i < (s + 1) * values.size() / slots; ++i) {
      if (!std::isfinite(values[i])) continue;
      sum += values[i];
      ++taken;
    }
    if (!taken) continue;
    shown[s] = sum / taken;
    low = std::min(low, shown[s]);
    high = std::max(high, shown[s]);
  }
  std::string line;
  for (const double value : shown) {
    if (std::isnan(value)) line += ' ';
    else line += bars[high > low ? std::clamp(static_cast<int>((value - low) / (high - low) * 8), 0, 7) : 3];
  }
  return line;
}

std::string block_map(int rows, int columns, std::span<const double> values, double low, double high,
                      const Terminal& terminal) {
  static const char* const shades[] = {" ", "░", "▒", "▓", "█"};
  const int limit = terminal.width > 0 ? terminal.width : 120;
  const int each = 2 * columns <= limit ? 2 : 1, shown = std::min(columns, limit);
  std::string out;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < shown; ++c) {
      const double value =
          values[static_cast<std::size_t>(r) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)];
      const double t = high > low ? (value - low) / (high - low) : 0;
      const char* const shade = std::isfinite(value) ? shades[std::clamp(static_cast<int>(t * 5), 0, 4)] : "·";
      for (int k = 0; k < each; ++k) out += shade;
    }
    out += '\n';
  }
  return out;
}

}  // namespace fovea
