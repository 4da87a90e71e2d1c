// For tests of figure kinds: settings as a file has them, and a figure that is drawn in every format.
#pragma once

#include <cairo/cairo.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "fovea/view/picture/picture.h"
#include "fovea/view/plot/figure_kind.h"
#include "tests/view/markup_check.h"
#include "tests/view/sample_runs.h"

namespace fovea {

inline Value text(const std::string& words) { return {words, {"e.toml", 7, 3}}; }
inline Value texts(const std::vector<std::string>& words) {
  ValueList list;
  for (const std::string& w : words) list.push_back(text(w));
  return {list, {"e.toml", 7, 3}};
}
inline Value numbers(const std::vector<double>& values) {
  ValueList list;
  for (const double v : values) list.push_back({v, {}});
  return {list, {"e.toml", 7, 3}};
}

// How many colours a PNG shows.
inline std::size_t colors_in(const std::string& png) {
  struct Reader {
    const std::string& bytes;
    std::size_t at;
  } reader{png, 0};
  const auto read = [](void* closure, unsigned char* to, unsigned length) {
    auto* const from = static_cast<Reader*>(closure);
    if (from->at + length > from->bytes.size()) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(to, from->bytes.data() + from->at, length);
    from->at += length;
    return CAIRO_STATUS_SUCCESS;
  };
  cairo_surface_t* const surface = cairo_image_surface_create_from_png_stream(read, &reader);
  EXPECT_EQ(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
  std::set<std::uint32_t> colors;
  const unsigned char* const data = cairo_image_surface_get_data(surface);
  for (int y = 0; y < cairo_image_surface_get_height(surface); ++y)
    for (int x = 0; x < cairo_image_surface_get_width(surface); ++x) {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, data + y * cairo_image_surface_get_stride(surface) + 4 * x, 4);
      colors.insert(pixel);
    }
  cairo_surface_destroy(surface);
  return colors.size();
}

inline void expect_drawn(const Figure& figure) {
  for (const Panel& panel : figure.panels) EXPECT_EQ(panel.message, "");
  for (const double width : {720.0, 350.0}) {
    const FigureLook look{width};
    const std::string svg = figure_svg(figure, look);
    EXPECT_EQ(sample::markup_fault(svg), "");
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_GT(svg.size(), 1500u);
    EXPECT_EQ(figure_pdf(figure, look).substr(0, 5), "%PDF-");
    EXPECT_GT(colors_in(figure_png(figure, 1, look)), 20u);
  }
}

inline std::size_t curves_in(const Panel& panel) {
  std::size_t count = 0;
  for (const Mark& mark : panel.marks)
    count += std::holds_alternative<CurveMark>(mark) && std::get<CurveMark>(mark).width > 0;
  return count;
}

}  // namespace fovea
