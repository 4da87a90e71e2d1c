// Task `largest-digit`: a bag of digit images; the label is the largest digit in it.
//
// A finite set: `bags` bags for training, gone through in shuffled epochs, and `held_out` for validation and for the
// test. The images of the three splits are disjoint. Images are drawn by the program, or read from MNIST files:
// training from its training set, validation from the first half of its test set and the test from the second.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/epochs.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/digit_renderer.h"
#include "fovea/data/tasks/files/mnist.h"

namespace fovea {

namespace {

DigitSet draw_digits(std::uint64_t seed, Split split, int count) {
  DigitSet set;
  set.pixels.resize(static_cast<std::size_t>(count) * digit_pixels);
  set.labels.resize(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < set.labels.size(); ++i) {
    Stream stream = example_stream(seed, "largest-digit.image", split, 0, i);
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

class LargestDigit final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.integer("bag", bag_, 1, 1000, "images in a bag (the most, if smallest is set)");
    fields.integer("smallest", smallest_, 0, 1000, "bag sizes are drawn from this to bag; 0: all are of size bag");
    fields.integer("bags", bags_, 1, 100'000'000, "training bags");
    fields.integer("held_out", held_out_, 1, 100'000'000, "validation bags, and as many for the test");
    fields.text("source", source_, "\"drawn\": images drawn by the program; else a folder with the MNIST files");
    fields.integer("digits", digits_, 10, 200'000, "images drawn for training; a fifth as many for each other split");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    if (smallest_ > bag_)
      throw wrong_input(fmt::format("smallest of task 'largest-digit' is {}, but bag is {}", smallest_, bag_),
                        "set smallest to at most bag");
    if (source_ != "drawn") {
      read_images(Split::train) = read_mnist(source_, "train");
      const DigitSet others = read_mnist(source_, "t10k");
      if (others.count() < 2)
        throw wrong_input("its test set has fewer than two images", "one is needed for validation and one for the test",
                          {source_});
      read_images(Split::validation) = half_of(others, false);
      read_images(Split::test) = half_of(others, true);
    }
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::labelled_bags;
    shape.width = digit_pixels;
    shape.classes = 10;
    shape.most_items = bag_;
    return shape;
  }

  std::int64_t examples(Split split) const override { return split == Split::train ? bags_ : held_out_; }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    Slice slice{0, size};
    if (split != Split::train) slice = slice_of(held_out_, step, size);
    const auto columns = static_cast<std::size_t>(bag_);
    batch.size = slice.size;
    batch.items.resize(slice.size, bag_, digit_pixels);
    batch.labels.resize(static_cast<std::size_t>(slice.size));
    batch.marked.assign(static_cast<std::size_t>(slice.size) * columns, 0);
    batch.scratch.resize(columns);
    const DigitSet& set = images(split);
    for (int row = 0; row < slice.size; ++row) {
      const std::int64_t i = split == Split::train ? epoch_example(seed_, "largest-digit.order", step, size, row, bags_)
                                                   : slice.begin + row;
      Stream stream = example_stream(seed_, "largest-digit.bag", split, 0, static_cast<std::uint64_t>(i));
      const int count =
          smallest_ == 0 ? bag_ : smallest_ + static_cast<int>(stream.integer(below(bag_ - smallest_ + 1)));
      batch.items.lengths[static_cast<std::size_t>(row)] = count;
      int largest = 0;
      for (int t = 0; t < count; ++t) {
        const auto image = static_cast<std::size_t>(stream.integer(static_cast<std::uint64_t>(set.count())));
        const std::uint8_t* pixels = set.pixels.data() + image * digit_pixels;
        std::transform(pixels, pixels + digit_pixels, batch.items.item(row, t),
                       [](std::uint8_t pixel) { return static_cast<float>(pixel) * (1.0f / 255); });
        batch.scratch[static_cast<std::size_t>(t)] = set.labels[image];
        largest = std::max(largest, int{set.labels[image]});
      }
      batch.labels[static_cast<std::size_t>(row)] = largest;
      for (std::size_t t = 0; t < static_cast<std::size_t>(count); ++t)
        batch.marked[static_cast<std::size_t>(row) * columns + t] = batch.scratch[t] == largest ? 1 : 0;
    }
  }

 private:
  static std::uint64_t below(int n) { return static_cast<std::uint64_t>(n); }
  DigitSet& read_images(Split split) { return images_[static_cast<std::size_t>(split)].set; }

  // A split's images are drawn when its first batch is asked for: who only checks a spec needs few of them.
  const DigitSet& images(Split split) const {
    Images& images = images_[static_cast<std::size_t>(split)];
    if (source_ == "drawn")
      std::call_once(images.drawn, [&] {
        images.set = draw_digits(seed_, split, split == Split::train ? digits_ : std::max(10, digits_ / 5));
      });
    return images.set;
  }

  int bag_ = 3;
  int smallest_ = 0;
  std::int64_t bags_ = 60'000;
  std::int64_t held_out_ = 10'000;
  std::string source_ = "drawn";
  int digits_ = 10'000;

  std::uint64_t seed_ = 0;
  struct Images {
    std::once_flag drawn;
    DigitSet set;
  };
  mutable std::array<Images, 3> images_;  // by split
};

const Register<Task> largest_digit_task("largest-digit", "the largest digit in a bag of images",
                                        [] { return std::make_unique<LargestDigit>(); });

}  // namespace

}  // namespace fovea
