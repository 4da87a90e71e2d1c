#include "fovea/view/plot/plot.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "fovea/base/file.h"
#include "tests/view/sample_runs.h"

namespace fovea {
namespace {

TEST(Plot, ChoosesByExtension) {
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

TEST(Plot, NamesTheNearestMetric) {
  const auto runs = sample::copy_runs(1);
  try {
    plot_metrics(runs, {"acuracy"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 2);
    EXPECT_EQ(error.remedy().text(), "did you mean 'accuracy'?");
  }
  EXPECT_THROW(plot_metrics(runs, {}), Error);
  EXPECT_THROW(plot_metrics({}, {"accuracy"}), Error);
}

TEST(Plot, TellsRunsApartByWhatDiffers) {
  const auto runs = sample::copy_runs(3);
  const Figure both = plot_metrics(runs, {"accuracy", "attention_accuracy"});
  EXPECT_EQ(both.panels.size(), 1u);  // shares live on one axis
  EXPECT_EQ(both.legend.size(), 4u);
  EXPECT_EQ(plot_metrics(runs, {"accuracy", "loss"}).panels.size(), 2u);
  EXPECT_EQ(plot_metrics(std::span(runs).first(3), {"accuracy"}).legend.size(), 0u);  // seeds alone differ
}

TEST(Plot, WritesTheFile) {
  const auto runs = sample::copy_runs(2);
  const Figure figure = plot_metrics(runs, {"accuracy"});
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "fovea_plot_test";
  std::filesystem::create_directories(folder);
  for (const auto& [name, start] : {std::pair{"a.svg", "<svg"}, {"a.pdf", "%PDF"}, {"a.png", "\x89PNG"}}) {
    save_figure(figure, folder / name);
    EXPECT_EQ(read_file(folder / name, 10'000'000).substr(0, 4), start);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace fovea
