#include "fovea/base/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace fovea {
namespace {

TEST(Arena, HandsOutAlignedMemoryThatDoesNotOverlap) {
  Arena arena;
  std::byte* end = nullptr;
  for (int i = 1; i < 100; ++i) {
    const auto span = arena.take<float>(static_cast<std::size_t>(i));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(span.data()) % 64, 0u);
    for (float& x : span) x = static_cast<float>(i);
    auto* begin = reinterpret_cast<std::byte*>(span.data());
    if (end && begin >= end) {
      EXPECT_GE(begin, end);
    }
    end = begin + span.size_bytes();
  }
}

TEST(Arena, ASteadyStepAsksTheSystemForNothing) {
  Arena arena;
  const auto step = [&] {
    for (int i = 0; i < 50; ++i) arena.take<double>(10'000);
    arena.reset();
  };
  step();
  const std::size_t asked = arena.blocks_requested();
  for (int i = 0; i < 10; ++i) step();
  EXPECT_EQ(arena.blocks_requested(), asked);
  EXPECT_GE(arena.peak_bytes(), 50u * 80'000u);
  EXPECT_EQ(arena.bytes_in_use(), 0u);
}

TEST(Arena, ALongerStepAsksForWhatItLacksAlone) {
  Arena arena;
  const auto step = [&](int arrays) {
    const auto first = arena.take<double>(10'000);
    for (int i = 1; i < arrays; ++i) arena.take<double>(10'000);
    arena.reset();
    return first.data();
  };
  const double* const before = step(50);
  const std::size_t asked = arena.blocks_requested();
  EXPECT_EQ(step(100), before);
  EXPECT_LE(arena.blocks_requested(), asked + 1);
  EXPECT_EQ(step(50), before);
}

// Whether it had to ask for more in between or not; and the next step asks for nothing.
TEST(Arena, WhatIsReleasedIsHandedOutAgainAndWhatWasTakenBeforeStays) {
  Arena arena;
  std::size_t asked = 0;
  for (int step = 0; step < 3; ++step) {
    const auto kept = arena.take<int>(1000);
    std::ranges::fill(kept, 7);
    for (int round = 0; round < 10; ++round) {
      const Arena::Mark mark = arena.mark();
      const std::size_t before = arena.bytes_in_use();
      for (int i = 0; i < 5; ++i) std::ranges::fill(arena.take<int>(100'000), 8);
      arena.release(mark);
      EXPECT_EQ(arena.bytes_in_use(), before);
    }
    const auto after = arena.take<int>(1000);
    std::ranges::fill(after, 9);
    EXPECT_EQ(std::ranges::count(kept, 7), 1000);
    EXPECT_LT(arena.peak_bytes(), 2'100'000u);
    arena.reset();
    if (step == 0) asked = arena.blocks_requested();
  }
  EXPECT_EQ(arena.blocks_requested(), asked);
}

TEST(Arena, ZerosAreZerosAlsoTheSecondTime) {
  Arena arena;
  for (int round = 0; round < 2; ++round) {
    for (int& x : arena.take_zeros<int>(1000)) {
      EXPECT_EQ(x, 0);
      x = 7;
    }
    arena.reset();
  }
}

TEST(Arena, NothingTakesNoSpaceButIsStillMemory) {
  Arena arena;
  EXPECT_NE(arena.take<float>(0).data(), nullptr);
}

}  // namespace
}  // namespace fovea
