#include "fovea/view/picture/picture.h"

#include <gtest/gtest.h>

#include "fovea/base/file.h"
#include "fovea/view/picture/cairo_canvas.h"
#include "fovea/view/plot/plot.h"
#include "tests/view/drawing.h"
#include "tests/view/sample_runs.h"

namespace fovea {
namespace {

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

TEST(Picture, ChoosesByExtension) {
  EXPECT_EQ(figure_format("a/b.svg"), FigureFormat::svg);
  EXPECT_EQ(figure_format("b.PDF"), FigureFormat::pdf);
  EXPECT_EQ(figure_format("b.png"), FigureFormat::png);
  for (const char* wrong : {"b.jpg", "b", ""}) {
    try {
      figure_format(wrong);
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), 2);
      EXPECT_NE(error.remedy().text().find(".svg"), std::string::npos);
    }
  }
}

TEST(Picture, WritesTheFile) {
  const auto runs = sample::copy_runs(2);
  const Figure figure = plot_metrics(runs, {"accuracy"});
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "fovea_picture_test";
  std::filesystem::create_directories(folder);
  for (const auto& [name, start] : {std::pair{"a.svg", "<svg"}, {"a.pdf", "%PDF"}, {"a.png", "\x89PNG"}}) {
    save_figure(figure, folder / name);
    EXPECT_EQ(read_file(folder / name, 10'000'000).substr(0, 4), start);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace fovea
