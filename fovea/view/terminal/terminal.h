// Terminal: text that lines up in columns, and small figures in block characters (room view/terminal). All texts of
// this room and the commands use it. It gives plain text, with colour only if a person reads the output.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

struct Terminal {
  int width = 0;  // 0: no limit (a file or a pipe)
  bool color = false;

  // What stands behind an open file (1: stdout). Colour only on a terminal that has it and without NO_COLOR.
  static Terminal of(int file);
};

// Columns a text takes on a terminal: 2 for full-width characters, 0 for combining marks.
int display_width(std::string_view text);

// The text, or as much of it as fits into `columns`, with an ellipsis at its end.
std::string shortened(const std::string& text, int columns);

// The text in lines of at most `columns`, broken at its blanks alone; 0: no limit.
std::string wrapped(const std::string& text, int columns);

enum class Tone { plain, good, bad, faint, strong };
std::string toned(const std::string& text, Tone tone, const Terminal& terminal);

class TextTable {
 public:
  enum class Align { left, right };
  struct Column {
    std::string head;
    Align align = Align::left;
    bool wraps = false;  // gives way, over several lines, where the terminal is narrow
    int rank = 0;        // above 0: left out where the terminal is too narrow still, the highest first
  };
  struct Cell {
    std::string text;
    Tone tone = Tone::plain;
    Cell(std::string words, Tone how = Tone::plain) : text(std::move(words)), tone(how) {}
    Cell(const char* words) : text(words) {}
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void row(std::vector<Cell> cells);  // as many as columns
  std::size_t size() const { return rows_.size(); }
  // With a final newline. Where the terminal is narrow, heads are folded after a '_' or '.', then columns give way as
  // they say; the heads of those left out are added to `left_out`.
  std::string text(const Terminal& terminal, std::vector<std::string>* left_out = nullptr) const;

 private:
  struct Layout {
    std::vector<std::size_t> columns;  // those that are shown
    std::vector<int> width;            // of each of these
    bool fits = false;
  };
  Layout layout(std::vector<std::size_t> columns, int limit) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Values as a row of ▁▂▃▄▅▆▇█ between their least and most, at most `width` characters; not finite ones are blank.
std::string sparkline(std::span<const double> values, int width);

// values (rows, columns) between `low` and `high` in the shades " ░▒▓█", two characters a cell where they fit.
std::string block_map(int rows, int columns, std::span<const double> values, double low, double high,
                      const Terminal& terminal);

}  // namespace fovea
