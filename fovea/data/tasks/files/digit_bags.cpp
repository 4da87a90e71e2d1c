#include "fovea/data/tasks/files/digit_bags.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/data/draw.h"
#include "fovea/data/epochs.h"
#include "fovea/data/tasks/digit_renderer.h"

namespace fovea {

namespace {

int one_below(RandomStream& stream, std::size_t n) { return static_cast<int>(stream.integer(n)); }

}  // namespace

void DigitBags::settings(Fields& fields) {
  fields.integer("bag", bag_, limits_.least, limits_.most, "images in a bag (the largest number, if smallest is set)");
  fields.integer("smallest", smallest_, 0, limits_.most,
                 "bag sizes are drawn from this to bag; 0: all are of size bag");
  fields.integer("bags", bags_, 1, 100'000'000, "training bags");
  fields.integer("held_out", held_out_, 1, 100'000'000, "validation bags, and as many for the test");
  images_.settings(fields);
}

void DigitBags::prepare(std::uint64_t seed) {
  seed_ = seed;
  if (smallest_ > bag_)
    throw wrong_input(fmt::format("smallest of task '{}' is {}, but bag is {}", name_, smallest_, bag_),
                      "set smallest to at most bag");
  if (smallest_ > 0 && smallest_ < limits_.least)
    throw wrong_input(fmt::format("smallest of task '{}' is {}, and its bags need {} images or more", name_, smallest_,
                                  limits_.least),
                      fmt::format("set smallest to {} or more, or to 0", limits_.least));
  images_.prepare(name_, seed, limits_.all_different ? bag_ : limits_.digits);
}

TaskShape DigitBags::shape() const {
  TaskShape shape;
  shape.kind = Kind::labelled_bags;
  shape.width = digit_pixels;
  shape.classes = 10;
  shape.most_items = bag_;
  return shape;
}

void DigitBags::batch(Split split, std::uint64_t step, int size, Batch& batch) const {
  Slice slice{0, size};
  if (split != Split::train) slice = slice_of(held_out_, step, size);
  const auto columns = static_cast<std::size_t>(bag_);
  batch.size = slice.size;
  batch.items.resize_unset(slice.size, bag_, digit_pixels);
  batch.labels.resize(static_cast<std::size_t>(slice.size));
  batch.marked.assign(static_cast<std::size_t>(slice.size) * columns, 0);
  batch.scratch.resize(columns);
  const Images& images = images_.of(split);
  const std::string order = name_ + ".order", bag = name_ + ".bag";
  for (int row = 0; row < slice.size; ++row) {
    const auto r = static_cast<std::size_t>(row);
    const std::int64_t i =
        split == Split::train ? epoch_example(seed_, order, step, size, row, bags_) : slice.begin + row;
    RandomStream stream = example_stream(seed_, bag, split, 0, static_cast<std::uint64_t>(i));
    const int count =
        smallest_ == 0 ? bag_ : smallest_ + one_below(stream, static_cast<std::size_t>(bag_ - smallest_ + 1));
    batch.items.lengths[r] = count;
    const std::span<int> chosen(batch.scratch.data(), static_cast<std::size_t>(count));
    batch.labels[r] = fill(stream, images, chosen, std::span(batch.marked).subspan(r * columns, chosen.size()));
    for (int t = 0; t < count; ++t) {
      const std::uint8_t* const pixels = images.pixels(chosen[static_cast<std::size_t>(t)]);
      std::transform(pixels, pixels + digit_pixels, batch.items.item(row, t),
                     [](std::uint8_t pixel) { return static_cast<float>(pixel) * (1.0f / 255); });
    }
    std::fill_n(batch.items.item(row, count), (bag_ - count) * digit_pixels, 0.0f);
  }
}

}  // namespace fovea
