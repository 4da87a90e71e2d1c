#include "fovea/data/tasks/files/digit_images.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/data/draw.h"
#include "fovea/data/tasks/digit_renderer.h"

namespace fovea {

namespace {

DigitSet draw_digits(std::uint64_t seed, const std::string& task, Split split, int count) {
  DigitSet set;
  set.pixels.resize(static_cast<std::size_t>(count) * digit_pixels);
  set.labels.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < set.labels.size(); ++i) {
    RandomStream stream = example_stream(seed, task + ".image", split, 0, i);
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

}  // namespace

int DigitImages::Images::any(RandomStream& stream) const { return static_cast<int>(stream.integer(set.labels.size())); }

int DigitImages::Images::of_digit(RandomStream& stream, int digit) const {
  const std::vector<int>& all = by_digit[static_cast<std::size_t>(digit)];
  return all[stream.integer(all.size())];
}

const std::uint8_t* DigitImages::Images::pixels(int image) const {
  return set.pixels.data() + static_cast<std::size_t>(image) * digit_pixels;
}

void DigitImages::settings(Fields& fields) {
  fields.text("source", source_, "\"drawn\": images drawn by the program; else a folder with the MNIST files");
  fields.integer("digits", digits_, 10, 200'000, "images drawn for training; a fifth as many for each other split");
}

void DigitImages::prepare(std::string name, std::uint64_t seed, int least_digits) {
  name_ = std::move(name);
  seed_ = seed;
  least_digits_ = least_digits;
  if (source_ == "drawn") return;
  take(Split::train, read_mnist(source_, "train"));
  const DigitSet others = read_mnist(source_, "t10k");
  if (others.count() < 2)
    throw wrong_input("its test set has fewer than two images", "add images: validation and test need one each",
                      {source_});
  take(Split::validation, half_of(others, false));
  take(Split::test, half_of(others, true));
}

void DigitImages::take(Split split, DigitSet set) const {
  Images& images = parts_[static_cast<std::size_t>(split)].images;
  images.set = std::move(set);
  for (int i = 0; i < static_cast<int>(images.set.count()); ++i)
    images.by_digit[static_cast<std::size_t>(images.digit(i))].push_back(i);
  const auto there = std::ranges::count_if(images.by_digit, [](const auto& of) { return !of.empty(); });
  if (there < least_digits_)
    throw wrong_input(
        fmt::format("task '{}' needs more digits than the {} of its {} images", name_, there, split_name(split)),
        "use files with images of all ten digits", {source_});
}

std::int64_t DigitImages::count(Split split) const {
  if (source_ != "drawn") return parts_[static_cast<std::size_t>(split)].images.set.count();
  return split == Split::train ? digits_ : std::max(10, digits_ / 5);
}

const DigitImages::Images& DigitImages::of(Split split) const {
  Part& part = parts_[static_cast<std::size_t>(split)];
  if (source_ == "drawn")
    std::call_once(part.drawn, [&] { take(split, draw_digits(seed_, name_, split, static_cast<int>(count(split)))); });
  return part.images;
}

}  // namespace fovea
