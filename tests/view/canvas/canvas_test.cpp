#include "fovea/view/canvas/canvas.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/error/error.h"
#include "fovea/view/canvas/cairo_canvas.h"
#include "fovea/view/canvas/palette.h"
#include "fovea/view/canvas/svg_canvas.h"
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

void draw_everything(Canvas& canvas) {
  const Point points[] = {{10, 10}, {50.123456, 40}, {90, 20}};
  canvas.begin_clip({0, 0, 100, 80});
  canvas.polyline(points, {Color::rgb(0x0072b2), 1.5, {4, 2}});
  canvas.polygon(points, Color::rgb(0xd55e00).faded(0.3), no_edge());
  canvas.circle({50, 50}, 8, Color::rgb(0x009e73), {Color::ink(), 1, {}});
  canvas.rectangle({60, 50, 20, 10}, Color::none(), {Color::muted(), 1, {}});
  canvas.end_clip();
  canvas.text({50, 70}, "<β₀ & “p”>", {10, Color::ink(), Anchor::middle, -90, true});
  canvas.image({5, 60, 10, 10}, {2, 1, {255, 0, 0, 0, 0, 255}});
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

TEST(CairoCanvas, WritesPdfAndPng) {
  CairoCanvas pdf(CairoCanvas::Kind::pdf, 100, 80, 1, "t"), png(CairoCanvas::Kind::png, 100, 80, 2, "t");
  draw_everything(pdf);
  draw_everything(png);
  EXPECT_EQ(pdf.finish().substr(0, 5), "%PDF-");
  EXPECT_EQ(png.finish().substr(1, 3), "PNG");
}

TEST(CairoCanvas, SaysWhenAPictureIsTooLarge) {
  EXPECT_THROW(CairoCanvas(CairoCanvas::Kind::png, 1e6, 1e6, 10, "t"), Error);
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
