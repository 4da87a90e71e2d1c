#include "fovea/view/terminal/attention_axes.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

std::string axes(const char* model) {
  RunSpec spec;
  spec.model["name"].data = std::string(model);
  return attention_axes(spec);
}

TEST(AttentionAxes, SayWhatRowsAndColumnsStandFor) {
  EXPECT_EQ(axes("seq2seq"), "outputs down, inputs across");
  EXPECT_EQ(axes("gated-classifier"), "its words across");
  EXPECT_EQ(axes("bag-attention"), "its items across");
  EXPECT_EQ(axes("feature-attention"), "its features across");
  EXPECT_EQ(axes("pooling"), "queries down, keys across");
  EXPECT_EQ(axes("somebody-elses"), "rows down, columns across");
}

}  // namespace
}  // namespace fovea
