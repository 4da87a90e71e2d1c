#include "fovea/view/canvas/canvas.h"

#include <cairo/cairo.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/view/canvas/palette.h"
#include "fovea/view/canvas/png.h"
#include "fovea/view/canvas/svg_canvas.h"
#include "tests/view/drawing.h"
#include "tests/view/markup_check.h"

namespace fovea {
namespace {

TEST(Text, EscapesWhatMarkupWouldRead) {
  EXPECT_EQ(escape_markup("a<b & \"c\" 'd' >"), "a&lt;b &amp; &quot;c&quot; &#39;d&#39; &gt;");
  EXPECT_EQ(escape_markup("β₀ → ∞"), "β₀ → ∞");
}

TEST(Text, WrapsWithinTheWidth) {
  const std::string words = "attention follows in fewer steps than from scratch unbelievablyunbelievablylong";
  for (const double width : {60.0, 100.0, 300.0})
    for (const std::string& line : wrap_text(words, width, 10)) EXPECT_LE(text_width(line, 10), width) << line;
  EXPECT_EQ(wrap_text("one two", 1000, 10).size(), 1u);
  EXPECT_TRUE(wrap_text("", 100, 10).empty());
}

TEST(SvgCanvas, IsWellFormedAndSaysWhatItShows) {
  SvgCanvas canvas(100, 80, {"a <title>", "it & that", false, "fig"});
  draw_everything(canvas);
  const std::string svg = canvas.finish();
  EXPECT_EQ(sample::markup_fault(svg), "");
  EXPECT_NE(svg.find("<title id=\"fig-title\">a &lt;title&gt;</title>"), std::string::npos);
  EXPECT_NE(svg.find("<desc id=\"fig-desc\">it &amp; that</desc>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;β₀ &amp; “p”&gt;</text>"), std::string::npos);
  EXPECT_NE(svg.find("50.12,40"), std::string::npos);  // two decimals
  EXPECT_EQ(svg.find("50.123"), std::string::npos);
}

TEST(SvgCanvas, LeavesColoursWithAPartToThePage) {
  SvgCanvas canvas(100, 80, {"t", "d", true, "fig"});
  draw_everything(canvas);
  const std::string svg = canvas.finish();
  EXPECT_NE(svg.find("var(--fig-ink)"), std::string::npos);
  EXPECT_NE(svg.find("#0072b2"), std::string::npos);
}

TEST(SvgCanvas, NeverWritesWhatIsNoNumber) {
  SvgCanvas canvas(10, 10, {});
  canvas.line({NAN, 0}, {HUGE_VAL, 1}, {});
  const std::string svg = canvas.finish();
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Png, HasThePixelsOfTheImage) {
  const Image image{3, 2, {255, 0, 0, 0, 255, 0, 0, 0, 255, 1, 2, 3, 250, 251, 252, 128, 128, 128}};
  std::string bytes = png_of(image);
  const auto read = [](void* from, unsigned char* to, unsigned count) {
    auto& left = *static_cast<std::string*>(from);
    if (left.size() < count) return CAIRO_STATUS_READ_ERROR;
    left.copy(reinterpret_cast<char*>(to), count);
    left.erase(0, count);
    return CAIRO_STATUS_SUCCESS;
  };
  cairo_surface_t* const surface = cairo_image_surface_create_from_png_stream(read, &bytes);
  ASSERT_EQ(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
  ASSERT_EQ(cairo_image_surface_get_width(surface), image.width);
  ASSERT_EQ(cairo_image_surface_get_height(surface), image.height);
  const unsigned char* const pixels = cairo_image_surface_get_data(surface);
  for (int y = 0, i = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x, i += 3) {
      const unsigned char* const pixel =
          pixels + y * cairo_image_surface_get_stride(surface) + 4 * x;  // blue, green, red
      for (int c = 0; c < 3; ++c) EXPECT_EQ(pixel[2 - c], image.rgb[static_cast<std::size_t>(i + c)]) << x << ' ' << y;
    }
  cairo_surface_destroy(surface);
}

double luminance(const Color& c) {
  const auto linear = [](std::uint8_t x) {
    const double v = x / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
}

TEST(Palette, TheSequentialScaleOnlyGetsLighter) {
  double before = -1;
  for (int i = 0; i < 256; ++i) {
    const double now = luminance(scale_color(ColorScale::sequential, i / 255.0));
    EXPECT_GE(now, before - 2e-3) << i;
    before = now;
  }
  EXPECT_GT(luminance(scale_color(ColorScale::sequential, 1)), 0.6);
  EXPECT_LT(luminance(scale_color(ColorScale::sequential, 0)), 0.05);
}

TEST(Palette, CategoriesStandOutOnPaper) {
  for (std::size_t i = 0; i < 7; ++i) EXPECT_GT(1.05 / (luminance(category_color(i)) + 0.05), 2.0) << i;
}

}  // namespace
}  // namespace fovea
