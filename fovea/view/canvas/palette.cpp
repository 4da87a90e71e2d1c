#include "fovea/view/canvas/palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "fovea/base/functions/functions.h"

namespace fovea {

namespace {

struct Linear {
  double red, green, blue;
};

// OKLCh -> linear sRGB (Ottosson's published matrices).
Linear linear_of(double lightness, double chroma, double hue) {
  const double a = chroma * math::cos(hue), b = chroma * math::sin(hue);
  const double l = math::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = math::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = math::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool shown(const Linear& c) {
  return std::min({c.red, c.green, c.blue}) >= -1e-9 && std::max({c.red, c.green, c.blue}) <= 1 + 1e-9;
}

std::uint8_t encoded(double x) {
  x = std::clamp(x, 0.0, 1.0);
  const double curve = x <= 0.0031308 ? 12.92 * x : 1.055 * math::pow(x, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * curve));
}

// The most colourful displayable colour of that lightness and hue, at most `chroma`: lightness is what must stay exact.
Color color_of(double lightness, double chroma, double degrees) {
  const double hue = degrees * std::numbers::pi / 180;
  while (chroma > 0 && !shown(linear_of(lightness, chroma, hue))) chroma -= 0.002;
  const Linear c = linear_of(lightness, std::max(chroma, 0.0), hue);
  return {encoded(c.red), encoded(c.green), encoded(c.blue)};
}

using Table = std::array<Color, 256>;

Table make_sequential() {
  Table table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double t = static_cast<double>(i) / 255;
    table[i] = color_of(0.24 + 0.70 * t, 0.085 + 0.08 * t * t * t, 300 - 195 * t);
  }
  return table;
}

Table make_diverging() {
  Table table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double t = static_cast<double>(i) / 127.5 - 1, far = std::abs(t);
    table[i] = color_of(0.97 - 0.47 * far, 0.16 * far, t < 0 ? 255 : 50);
  }
  return table;
}

}  // namespace

Color category_color(std::size_t index) {
  static const std::array<Color, 7> colors = {Color::rgb(0x0072b2), Color::rgb(0xd55e00), Color::rgb(0x009e73),
                                              Color::rgb(0xcc79a7), Color::rgb(0xe69f00), Color::rgb(0x56b4e9),
                                              Color::ink()};
  return colors[index % colors.size()];
}

std::vector<double> category_dash(std::size_t index) {
  static const std::array<std::vector<double>, 5> dashes = {
      std::vector<double>{}, {6, 2.5}, {2, 2}, {8, 2, 2, 2}, {12, 3}};
  return dashes[index % dashes.size()];
}

Marker category_marker(std::size_t index) {
  static constexpr std::array<Marker, 5> markers = {Marker::circle, Marker::square, Marker::diamond, Marker::triangle,
                                                    Marker::cross};
  return markers[index % markers.size()];
}

Color scale_color(ColorScale scale, double t) {
  static const Table sequential = make_sequential();
  static const Table diverging = make_diverging();
  const auto index = static_cast<std::size_t>(std::lround(255 * std::clamp(t, 0.0, 1.0)));
  return (scale == ColorScale::sequential ? sequential : diverging)[index];
}

}  // namespace fovea
