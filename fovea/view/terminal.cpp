#include "fovea/view/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "fovea/view/axis.h"
#include "fovea/view/canvas.h"

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

// Lines of at most `width` columns, broken at spaces, or within a word longer than a line.
std::vector<std::string> folded(const std::string& text, int width) {
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
    if (wide > width) {
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

std::string TextTable::text(const Terminal& terminal) const {
  const std::size_t count = columns_.size();
  std::vector<int> width(count);
  int total = 0;
  for (std::size_t c = 0; c < count; ++c) {
    width[c] = display_width(columns_[c].head);
    for (const auto& row : rows_) width[c] = std::max(width[c], display_width(row[c].text));
    total += width[c] + (c ? 2 : 0);
  }
  // The widest of the columns that may wrap gives way first, down to 12 characters.
  while (terminal.width > 0 && total > terminal.width) {
    std::size_t widest = count;
    for (std::size_t c = 0; c < count; ++c)
      if (columns_[c].wraps && width[c] > 12 && (widest == count || width[c] > width[widest])) widest = c;
    if (widest == count) break;
    --width[widest];
    --total;
  }

  std::string out;
  const auto put = [&](const std::vector<Cell>& cells) {
    std::vector<std::vector<std::string>> lines(count);
    std::size_t high = 1;
    for (std::size_t c = 0; c < count; ++c) {
      lines[c] = folded(cells[c].text, width[c]);
      high = std::max(high, lines[c].size());
    }
    for (std::size_t k = 0; k < high; ++k) {
      std::string line;
      int owed = 0;  // spaces before the next text, so that no line ends in spaces
      for (std::size_t c = 0; c < count; ++c) {
        const std::string part = k < lines[c].size() ? lines[c][k] : "";
        const int room = width[c] - display_width(part);
        if (c) owed += 2;
        if (part.empty()) {
          owed += room;
          continue;
        }
        const bool right = columns_[c].align == Align::right;
        line += std::string(static_cast<std::size_t>(owed + (right ? room : 0)), ' ') +
                toned(part, cells[c].tone, terminal);
        owed = right ? 0 : room;
      }
      out += line + '\n';
    }
  };
  std::vector<Cell> heads;
  for (const Column& column : columns_) heads.emplace_back(column.head, Tone::strong);
  put(heads);
  for (const auto& row : rows_) put(row);
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

std::string verdict_word(const ClaimResult& claim) {
  if (claim.held) return "held";
  return std::isnan(claim.value) ? "no value" : "NOT HELD";
}

std::string claims_table(std::span<const ClaimResult> claims, const Terminal& terminal) {
  TextTable table({{"verdict"},
                   {"experiment"},
                   {"claim", TextTable::Align::left, true},
                   {"value", TextTable::Align::right},
                   {"wanted"}});
  std::string notes;
  for (const ClaimResult& claim : claims) {
    const std::string mark = claim.held ? "✓ " : "✗ ";
    table.row({{mark + verdict_word(claim), claim.held ? Tone::good : Tone::bad},
               claim.experiment,
               claim.claim,
               number_text(claim.value),
               claim.wanted});
    if (!claim.note.empty())
      notes += fmt::format("{}: {}: {}\n", claim.experiment, claim.claim, clean_utf8(claim.note));
  }
  return table.text(terminal) + notes;
}

}  // namespace fovea
