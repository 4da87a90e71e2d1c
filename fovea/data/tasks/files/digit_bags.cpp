#include "fovea/data/tasks/files/digit_bags.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/data/draw.h"
#include "fovea/data/epochs.h"
#include "fovea/data/tasks/digit_renderer.h"

namespace fovea {

namespace {

DigitSet draw_digits(std::uint64_t seed, const std::string& task, Split split, int count) {
  DigitSet set;
  set.pixels.resize(static_cast<std::size_t>(count) * digit_pixels);
  set.labels.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < set.labels.size(); ++i) {
    Stream stream = example_stream(seed, task + ".image", split, 0, i);
    set.labels[i] = static_cast<std::uint8_t>(i % 10);
    draw_digit(set.labels[i], stream, {set.pixels.data() + i * digit_pixels, digit_pixels});
  }
  return set;
}

// Halves of MNIST's test set: the first for validation, the second for the test.
DigitSet half_of(const DigitSet& whole, bool second) {
  const std::size_t middle = whole.labels.size() / 2;
  const std::size_t begin = second ? middle : 0, end = second ? whole.labels.size() : middle;
  const auto part = [](const std::vector<std::uint8_t>& all, std::size_t from, std::size_t to) {
    return std::vector<std::uint8_t>(all.begin() + static_cast<std::ptrdiff_t>(from),
                                     all.begin() + static_cast<std::ptrdiff_t>(to));
  };
  return {part(whole.pixels, begin * digit_pixels, end * digit_pixels), part(whole.labels, begin, end)};
}

int one_below(Stream& stream, std::size_t n) { return static_cast<int>(stream.integer(n)); }

}  // namespace

int DigitBags::Images::any(Stream& stream) const { return one_below(stream, set.labels.size()); }

int DigitBags::Images::of_digit(Stream& stream, int digit) const {
  const std::vector<int>& all = by_digit[static_cast<std::size_t>(digit)];
  return all[stream.integer(all.size())];
}

void DigitBags::settings(Fields& fields) {
  fields.integer("bag", bag_, limits_.least, limits_.most, "images in a bag (the most, if smallest is set)");
  fields.integer("smallest", smallest_, 0, limits_.most,
                 "bag sizes are drawn from this to bag; 0: all are of size bag");
  fields.integer("bags", bags_, 1, 100'000'000, "training bags");
  fields.integer("held_out", held_out_, 1, 100'000'000, "validation bags, and as many for the test");
  fields.text("source", source_, "\"drawn\": images drawn by the program; else a folder with the MNIST files");
  fields.integer("digits", digits_, 10, 200'000, "images drawn for training; a fifth as many for each other split");
}

void DigitBags::prepare(std::uint64_t seed) {
  seed_ = seed;
  if (smallest_ > bag_)
    throw wrong_input(fmt::format("smallest of task '{}' is {}, but bag is {}", name_, smallest_, bag_),
                      "set smallest to at most bag");
  if (smallest_ > 0 && smallest_ < limits_.least)
    throw wrong_input(fmt::format("smallest of task '{}' is {}, and its bags hold {} images or more", name_, smallest_,
                                  limits_.least),
                      fmt::format("set smallest to {} or more, or to 0", limits_.least));
  if (source_ == "drawn") return;
  take(Split::train, read_mnist(source_, "train"));
  const DigitSet others = read_mnist(source_, "t10k");
  if (others.count() < 2)
    throw wrong_input("its test set has fewer than two images", "one is needed for validation and one for the test",
                      {source_});
  take(Split::validation, half_of(others, false));
  take(Split::test, half_of(others, true));
}

void DigitBags::take(Split split, DigitSet set) const {
  Images& images = images_[static_cast<std::size_t>(split)];
  images.set = std::move(set);
  for (int i = 0; i < static_cast<int>(images.set.count()); ++i)
    images.by_digit[static_cast<std::size_t>(images.digit(i))].push_back(i);
  const auto there = std::ranges::count_if(images.by_digit, [](const auto& of) { return !of.empty(); });
  if (there < (limits_.all_different ? bag_ : limits_.digits))
    throw wrong_input(
        fmt::format("task '{}' needs more digits than the {} of its {} images", name_, there, split_name(split)),
        "take files with images of all ten digits", {source_});
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
  batch.items.resize(slice.size, bag_, digit_pixels);
  batch.labels.resize(static_cast<std::size_t>(slice.size));
  batch.marked.assign(static_cast<std::size_t>(slice.size) * columns, 0);
  batch.scratch.resize(columns);
  const Images& images = this->images(split);
  const std::string order = name_ + ".order", bag = name_ + ".bag";
  for (int row = 0; row < slice.size; ++row) {
    const auto r = static_cast<std::size_t>(row);
    const std::int64_t i =
        split == Split::train ? epoch_example(seed_, order, step, size, row, bags_) : slice.begin + row;
    Stream stream = example_stream(seed_, bag, split, 0, static_cast<std::uint64_t>(i));
    const int count =
        smallest_ == 0 ? bag_ : smallest_ + one_below(stream, static_cast<std::size_t>(bag_ - smallest_ + 1));
    batch.items.lengths[r] = count;
    const std::span<int> chosen(batch.scratch.data(), static_cast<std::size_t>(count));
    batch.labels[r] = fill(stream, images, chosen, std::span(batch.marked).subspan(r * columns, chosen.size()));
    for (int t = 0; t < count; ++t) {
      const auto image = static_cast<std::size_t>(chosen[static_cast<std::size_t>(t)]);
      const std::uint8_t* pixels = images.set.pixels.data() + image * digit_pixels;
      std::transform(pixels, pixels + digit_pixels, batch.items.item(row, t),
                     [](std::uint8_t pixel) { return static_cast<float>(pixel) * (1.0f / 255); });
    }
  }
}

// A split's images are drawn when its first batch is asked for: who only checks a spec needs few of them.
const DigitBags::Images& DigitBags::images(Split split) const {
  Images& images = images_[static_cast<std::size_t>(split)];
  if (source_ == "drawn")
    std::call_once(images.drawn, [&] {
      take(split, draw_digits(seed_, name_, split, split == Split::train ? digits_ : std::max(10, digits_ / 5)));
    });
  return images;
}

}  // namespace fovea
