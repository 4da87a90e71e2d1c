#include "tests/view/plot/kinds/figure_help.h"

namespace fovea {
namespace {

TEST(Phase, DrawsFieldCoursesAndSeparatrix) {
  const auto row = [](std::int64_t a, std::int64_t b) { return Value{ValueList{{a, {}}, {b, {}}}, {}}; };
  FigureSpec spec{"phase", {{"separatrix", {-0.70710678, {}}}, {"field", {ValueList{row(0, 2), row(1, 0)}, {}}}}, {}};
  const auto runs = sample::gate_runs();
  const Figure figure = make_figure(spec, runs, {});
  EXPECT_EQ(figure.legend.size(), 3u);
  expect_drawn(figure);
  spec.settings["field"] = numbers({0, 2, 1, 0});
  try {
    make_figure(spec, runs, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.location().text(), "e.toml:7:3");
    EXPECT_EQ(error.exit_code(), 2);
  }
}

}  // namespace
}  // namespace fovea
