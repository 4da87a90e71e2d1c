#include "fovea/base/old_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fovea {
namespace {

TEST(OldNames, HaveOneNameOfTodayThatIsNoOldName) {
  std::set<std::pair<NameKind, std::string_view>> olds, nows;
  for (const OldName& one : old_names()) {
    EXPECT_TRUE(olds.emplace(one.kind, one.old).second) << one.old;
    EXPECT_TRUE(nows.emplace(one.kind, one.now).second) << one.now;
  }
  for (const auto& now : nows) EXPECT_FALSE(olds.contains(now)) << now.second;
  EXPECT_GT(olds.size(), 50u);
}

TEST(OldNames, OfMetricsKeepTheirSuffixes) {
  EXPECT_EQ(name_now(NameKind::metric, "digit_rank"), "top1_on_answer");
  EXPECT_EQ(name_now(NameKind::metric, "digit_rank_held"), "top1_on_answer_held");
  EXPECT_EQ(name_now(NameKind::metric, "previous_token_l1_h12_held"), "weight_on_previous_l1_h12_held");
  EXPECT_EQ(name_now(NameKind::metric, "previous_token_l2"), "weight_on_previous_l2");
  EXPECT_EQ(name_now(NameKind::metric, "accuracy_held"), "accuracy_held");
  EXPECT_EQ(name_now(NameKind::setting, "digit_rank"), "digit_rank");
  EXPECT_EQ(first_name(NameKind::metric, "weight_on_previous_l1_h2"), "previous_token_l1_h2");
  EXPECT_EQ(first_name(NameKind::setting, "probe.optional"), "probe.where_able");
}

TEST(OldNames, InAnExpressionAreReplacedOutsideOfQuotes) {
  EXPECT_EQ(with_names("max(attention_accuracy,attention_accuracy_after) >= 0.9 and task.name = 'fate'", name_now),
            "max(attention_points_right,attention_points_one_after) >= 0.9 and task.name = 'fate'");
  EXPECT_EQ(with_names("attention_points_right > 1", first_name), "attention_accuracy > 1");
  EXPECT_EQ(with_names("", name_now), "");
}

TEST(OldNames, AreReportedOnce) {
  std::vector<std::string> heard;
  listen_for_old_names([&heard](const OldName& name) { heard.emplace_back(name.old); });
  EXPECT_EQ(report_old_name(NameKind::metric, "gd_order"), "descent_order");
  EXPECT_EQ(report_old_name(NameKind::metric, "gd_order_held"), "descent_order_held");
  EXPECT_EQ(report_old_name(NameKind::metric, "descent_order"), "descent_order");
  EXPECT_EQ(report_old_name(NameKind::command, "look"), "inspect");
  listen_for_old_names({});
  EXPECT_EQ(heard, (std::vector<std::string>{"gd_order", "look"}));
}

}  // namespace
}  // namespace fovea
