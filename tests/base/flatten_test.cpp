#include "fovea/base/flatten.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(Flatten, NamesEveryValueByItsTables) {
  const ValueTable inner{{"b", {std::int64_t{2}, {}}}, {"c", {ValueTable{{"d", {true, {}}}}, {}}}};
  const ValueTable table{{"a", {1.5, {}}}, {"empty", {ValueTable{}, {}}}, {"x", {inner, {}}}};
  std::string all;
  for (const auto& [name, value] : flatten(table)) all += name + "=" + value->text() + " ";
  EXPECT_EQ(all, "a=1.5 x.b=2 x.c.d=true ");
  EXPECT_EQ(flatten(inner, "train.").front().first, "train.b");
  EXPECT_EQ(flatten(table).front().second, &table.at("a"));
}

}  // namespace
}  // namespace fovea
