#include "fovea/nn/parameters.h"

#include <gtest/gtest.h>

#include <new>

namespace fovea {
namespace {

// As many bytes as an address cannot say: they may not wrap around to few.
TEST(Parameters, AreRefusedWhereTheyAreMoreThanCanBeCounted) {
  constexpr Index wide = Index{1} << 31;
  ParameterSet<float> parameters;
  parameters.add("weight", {wide, wide}, Init::constant(0));
  EXPECT_THROW(parameters.finish(), std::bad_alloc);
}

}  // namespace
}  // namespace fovea
