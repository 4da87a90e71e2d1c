#include "fovea/view/terminal/attention_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fovea/view/plot/glimpse_path.h"
#include "fovea/view/terminal/attention_axes.h"

namespace fovea {

namespace {

constexpr int usual_width = 120;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// A character stands for `each` pixels across and twice as many down, as characters are twice as high as wide.
class GlimpsePicture {
 public:
  GlimpsePicture(const GlimpsePath& path, int each)
      : each_(each), rows_(cells(path.side, 2 * each)), columns_(cells(path.side, each)) {
    const float most = std::max(0.01f, *std::ranges::max_element(path.image));
    for (int row = 0; row < rows_; ++row)
      for (int column = 0; column < columns_; ++column) signs_.push_back(shade(path, row, column, most));
    numbered_.assign(signs_.size(), false);
    for (std::size_t t = 1; t < path.middles.size(); ++t) draw_way(path.middles[t - 1], path.middles[t]);
    for (std::size_t t = 0; t < path.middles.size(); ++t) draw_number(t, path.middles[t]);
  }

  static int cells(Index side, int each) { return (static_cast<int>(side) + each - 1) / each; }

  std::vector<std::string> lines(const Terminal& terminal) const {
    std::vector<std::string> lines(static_cast<std::size_t>(rows_));
    for (std::size_t i = 0; i < signs_.size(); ++i)
      lines[i / static_cast<std::size_t>(columns_)] +=
          numbered_[i] ? toned(signs_[i], Tone::strong, terminal) : signs_[i];
    return lines;
  }

 private:
  // The mean of the pixels, over `most`.
  std::string shade(const GlimpsePath& path, int row, int column, float most) const {
    static constexpr std::array<const char*, 5> shades{" ", "░", "▒", "▓", "█"};
    const int side = static_cast<int>(path.side);
    double sum = 0, count = 0;
    for (int y = 2 * each_ * row; y < std::min(side, 2 * each_ * (row + 1)); ++y)
      for (int x = each_ * column; x < std::min(side, each_ * (column + 1)); ++x, ++count)
        sum += static_cast<double>(path.image[static_cast<std::size_t>(y * side + x)]);
    return shades[static_cast<std::size_t>(
        std::clamp(static_cast<int>(5 * sum / count / static_cast<double>(most)), 0, 4))];
  }

  std::pair<int, int> cell_of(Point p) const {  // row, column
    const auto at = [](double pixel, int each, int count) {
      return std::clamp(static_cast<int>((pixel + 0.5) / each), 0, count - 1);
    };
    return {at(p.y, 2 * each_, rows_), at(p.x, each_, columns_)};
  }
  std::size_t index(int row, int column) const { return static_cast<std::size_t>(row * columns_ + column); }

  void draw_way(Point from, Point to) {
    const auto [row, column] = cell_of(from);
    const auto [last_row, last_column] = cell_of(to);
    const int steps = std::max(std::abs(last_row - row), std::abs(last_column - column));
    for (int i = 1; i < steps; ++i) {
      const auto between = [&](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * double(i) / steps)); };
      signs_[index(between(row, last_row), between(column, last_column))] = "·";
    }
  }

  // Beside its place where another number stands there; left out where there is no room at all.
  void draw_number(std::size_t t, Point p) {
    static constexpr std::string_view names = "123456789abcdefghijklmnopqrstuvwxyz";
    static constexpr std::array<std::pair<int, int>, 9> tried{
        {{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}}};
    const auto [row, column] = cell_of(p);
    for (const auto& [down, right] : tried) {
      const int r = row + down, c = column + right;
      if (r < 0 || r >= rows_ || c < 0 || c >= columns_ || numbered_[index(r, c)]) continue;
      signs_[index(r, c)] = t < names.size() ? std::string(1, names[t]) : "+";
      numbered_[index(r, c)] = true;
      return;
    }
  }

  int each_, rows_, columns_;
  std::vector<std::string> signs_;
  std::vector<bool> numbered_;
};

std::vector<std::string> glimpse_lines(const GlimpsePath& path, int height, const Terminal& terminal) {
  const int width = terminal.width > 0 ? terminal.width : usual_width;
  int each = GlimpsePicture::cells(path.side, width);
  while (height > 0 && GlimpsePicture::cells(path.side, 2 * each) > height) ++each;
  return GlimpsePicture(path, each).lines(terminal);
}

// Of the first example, where both were kept.
std::string label_and_answer(const std::vector<ArrayRecord>& arrays) {
  const ArrayRecord *const labels = last_of(arrays, "attention_labels"),
                           *answers = last_of(arrays, "attention_answers");
  if (!labels || !answers || labels->values.empty() || answers->values.empty()) return {};
  return fmt::format(": a {:g}, read as {:g}", labels->values[0], answers->values[0]);
}

}  // namespace

const ArrayRecord* last_of(const std::vector<ArrayRecord>& arrays, const std::string& name) {
  const auto found =
      std::find_if(arrays.rbegin(), arrays.rend(), [&](const auto& array) { return array.name == name; });
  return found == arrays.rend() ? nullptr : &*found;
}

std::vector<std::string> attention_lines(const RunSpec& spec, const std::vector<ArrayRecord>& arrays, int height,
                                         const Terminal& terminal) {
  const ArrayRecord* const map = last_of(arrays, "attention");
  if (!map || map->shape.size() != 3 || map->values.empty()) return {};
  std::vector<std::string> lines, title;
  const ArrayRecord* const images = last_of(arrays, "attention_items");
  if (const auto path = images ? glimpse_path(*map, *images, 0) : std::nullopt) {
    title = {fmt::format("glimpses 1 to {} at one image, at step {}{}", path->middles.size(), map->step,
                         label_and_answer(arrays))};
    lines = glimpse_lines(*path, height, terminal);
  } else {
    const int rows = static_cast<int>(map->shape[1]), columns = static_cast<int>(map->shape[2]);
    const int shown = height > 0 ? std::min(rows, height) : rows;
    const std::vector<double> first(map->values.begin(), map->values.begin() + shown * columns);
    const double most = first.empty() ? 1.0 : std::ranges::max(first);
    title = {
        fmt::format("attention of one example at step {}: {}, largest {:.3g}", map->step, attention_axes(spec), most)};
    lines = lines_of(block_map(shown, columns, first, 0, most > 0 ? most : 1, terminal));
  }
  title.insert(title.end(), lines.begin(), lines.end());
  return title;
}

}  // namespace fovea
