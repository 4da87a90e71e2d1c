#include "fovea/view/terminal/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "fovea/view/terminal/runs_table.h"

namespace fovea {

namespace {

constexpr int widest = 72, narrowest = 20;  // columns of the box

struct Frame {
  double first = std::numeric_limits<double>::infinity(), last = -first;  // steps
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void hold(const Series& series) {
    for (std::size_t i = 0; i < series.steps.size(); ++i) {
      if (!std::isfinite(series.values[i])) continue;
      first = std::min(first, static_cast<double>(series.steps[i]));
      last = std::max(last, static_cast<double>(series.steps[i]));
      low = std::min(low, series.values[i]);
      high = std::max(high, series.values[i]);
    }
  }
  bool empty() const { return !(low <= high); }
};

// On the straight line between the two points around `step`; none outside of the series and beside what is not finite.
std::optional<double> value_between(const Series& series, double step) {
  const auto after = std::ranges::lower_bound(series.steps, step, {}, [](auto s) { return static_cast<double>(s); });
  if (after == series.steps.end()) return std::nullopt;
  const auto i = static_cast<std::size_t>(after - series.steps.begin());
  const double x = static_cast<double>(series.steps[i]), y = series.values[i];
  if (x == step) return std::isfinite(y) ? std::optional(y) : std::nullopt;
  if (i == 0) return std::nullopt;
  const double x0 = static_cast<double>(series.steps[i - 1]), y0 = series.values[i - 1];
  const double between = y0 + (y - y0) * (step - x0) / (x - x0);
  return std::isfinite(between) ? std::optional(between) : std::nullopt;
}

class CharacterGrid {
 public:
  CharacterGrid(int width, int height)
      : width_(width), height_(height), cells_(static_cast<std::size_t>(width * height), " ") {}

  void draw(const ChartLine& line, const Frame& frame) {
    std::vector<bool> own(cells_.size());
    int before = -1;  // the row of the column before; -1: it has none
    for (int column = 0; column < width_; ++column) {
      const double step = frame.first + (frame.last - frame.first) * column / std::max(1, width_ - 1);
      const std::optional<double> value = value_between(line.series, step);
      if (!value) {
        before = -1;
        continue;
      }
      const double share = frame.high > frame.low ? (*value - frame.low) / (frame.high - frame.low) : 0.5;
      const int row = std::clamp(static_cast<int>(std::lround((1 - share) * (height_ - 1))), 0, height_ - 1);
      // A steep stretch stays one line.
      const int from = before < 0 || before == row ? row : before < row ? before + 1 : before - 1;
      for (int r = std::min(from, row); r <= std::max(from, row); ++r) {
        const auto place = static_cast<std::size_t>(r * width_ + column);
        if (own[place]) continue;
        own[place] = true;
        cells_[place] = cells_[place] == " " ? line.mark : "×";
      }
      before = row;
    }
  }

  std::string row(int r) const {
    std::string text;
    for (int column = 0; column < width_; ++column) text += cells_[static_cast<std::size_t>(r * width_ + column)];
    return text;
  }

 private:
  int width_, height_;
  std::vector<std::string> cells_;
};

}  // namespace

std::string line_chart(std::span<const ChartLine> lines, int height, const Terminal& terminal) {
  Frame frame;
  for (const ChartLine& line : lines) frame.hold(line.series);
  if (frame.empty()) return {};
  const double middle = (frame.low + frame.high) / 2;
  const std::string high = metric_text("", frame.high), half = metric_text("", middle),
                    low = metric_text("", frame.low);
  const int left = std::max({display_width(high), display_width(half), display_width(low)});
  const int there = terminal.width > 0 ? terminal.width - left - 2 : widest;
  const int width = std::clamp(there, narrowest, widest);
  CharacterGrid box(width, height);
  for (const ChartLine& line : lines) box.draw(line, frame);
  std::string text;
  for (int r = 0; r < height; ++r) {
    const bool flat = frame.low == frame.high;
    const std::string value = r == height / 2 ? half : flat ? "" : r == 0 ? high : r == height - 1 ? low : "";
    text += std::string(static_cast<std::size_t>(left - display_width(value)), ' ') + value + " │" + box.row(r) + "\n";
  }
  const std::string first = fmt::format("{:.0f}", frame.first), last = fmt::format("{:.0f} steps", frame.last);
  const int blank = std::max(1, width - display_width(first) - display_width(last));
  text += fmt::format("{}└{}\n", std::string(static_cast<std::size_t>(left) + 1, ' '), [width] {
    std::string line;
    for (int i = 0; i < width; ++i) line += "─";
    return line;
  }());
  return text + std::string(static_cast<std::size_t>(left) + 2, ' ') + first +
         std::string(static_cast<std::size_t>(blank), ' ') + last + "\n";
}

}  // namespace fovea
