#include "fovea/view/plot/figure_kind.h"

#include "tests/view/plot/kinds/figure_help.h"

namespace fovea {
namespace {

TEST(FigureKinds, EveryKindSurvivesNoRuns) {
  for (const std::string& kind : Registry<FigureKind>::instance().names()) {
    const Figure figure = make_figure({kind, {}, {}}, {}, {});
    ASSERT_FALSE(figure.panels.empty()) << kind;
    EXPECT_NE(figure.panels[0].message, "") << kind;
    EXPECT_EQ(sample::markup_fault(figure_svg(figure)), "") << kind;
  }
}

TEST(FigureKinds, WrongSettingsHaveAPlace) {
  const auto runs = sample::copy_runs(1);
  const auto position_of = [&](const FigureSpec& spec) -> std::string {
    try {
      make_figure(spec, runs, {});
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), 2);
      EXPECT_NE(error.remedy().text(), "");
      return error.location().text();
    }
    return "no error";
  };
  const Location location{"e.toml", 5, 1};
  EXPECT_EQ(position_of({"line", {}, location}), "e.toml:5:1");
  EXPECT_EQ(position_of({"lines", {{"pannels", text("seed")}}, location}), "e.toml:7:3");
  EXPECT_EQ(position_of({"lines", {{"x_log", text("yes")}}, location}), "e.toml:7:3");
  EXPECT_EQ(position_of({"lines", {{"x_range", numbers({1, 0})}}, location}), "e.toml:7:3");
  EXPECT_NE(position_of({"lines", {{"y", text("accuracy >=")}}, location}), "no error");
  const auto levels_at = [&](const char* y) {
    return position_of({"lines", {{"y", text("loss")}, {"rules", text("0.5")}, {"rules_at", text(y)}}, location});
  };
  EXPECT_EQ(levels_at("loss"), "no error");
  EXPECT_EQ(levels_at("accuracy"), "e.toml:7:3");
}

}  // namespace
}  // namespace fovea
