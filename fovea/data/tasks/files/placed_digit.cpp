// Task `placed-digit`: which digit is on the canvas (room data/tasks/files). lab/spec makes it by name for a run. It
// reads its settings, seed and files only. One digit of 28 x 28 pixels is at a uniformly random point of a canvas of
// side x side. With side 28 there is one point. `pieces` squares of piece x piece pixels, each cut from the image of
// some digit, are placed uniformly too. If two overlap, the brighter pixel shows. The digit's box is marked: the
// smallest rectangle that contains its ink.
//
// Training images follow shuffled epochs over the split's images, each time at a new point among new pieces.
// Validation and test have each of their images once. Batches are vectors of side² numbers from 0 to 1, row by row.
//
// With `patch` the canvas is divided into squares of patch x patch, the items of a bag, row by row. An item has
// patch² numbers, and then its row and its column of squares, as 1 at the number and 0 at the others. The items that
// the digit's box touches are marked.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/epochs.h"
#include "fovea/data/tasks/digit_renderer.h"
#include "fovea/data/tasks/files/digit_images.h"

namespace fovea {

namespace {

class PlacedDigit final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.integer("side", side_, digit_side, 1000, "pixels along a side of the canvas");
    fields.integer("patch", patch_, 0, 1000, "pixels along a side of the squares that are items; 0: one vector");
    fields.integer("pieces", pieces_, 0, 1000, "number of squares of other images in the background");
    fields.integer("piece", piece_, 1, digit_side, "pixels along a side of such a square");
    fields.only_of("pieces of 1 or more", [this] { return pieces_ > 0; });
    images_.settings(fields);
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    if (patch_ > 0 && side_ % patch_ != 0)
      throw wrong_input(fmt::format("a canvas of {} pixels cannot be cut into squares of {}", side_, patch_),
                        "set patch of task 'placed-digit' to a divisor of side, or to 0");
    images_.prepare("placed-digit", seed, 1);
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.classes = 10;
    shape.kind = patch_ > 0 ? Kind::labelled_bags : Kind::labelled_vectors;
    shape.width = patch_ > 0 ? patch_ * patch_ + 2 * along() : side_ * side_;
    shape.most_items = patch_ > 0 ? along() * along() : 0;
    return shape;
  }

  std::int64_t examples(Split split) const override { return images_.count(split); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const DigitImages::Images& images = images_.of(split);
    const std::int64_t count = images.set.count();
    const bool train = split == Split::train;
    const Slice slice = train ? Slice{0, size} : slice_of(count, step, size);
    batch.size = slice.size;
    batch.items.resize(slice.size, 1, side_ * side_);
    batch.labels.resize(static_cast<std::size_t>(slice.size));
    batch.marked.assign(batch.items.values.size(), 0);
    for (int row = 0; row < slice.size; ++row) {
      const std::int64_t i =
          train ? epoch_example(seed_, "placed-digit.order", step, size, row, count) : slice.begin + row;
      // A held-out image has one position; a training image a new one each time.
      RandomStream stream = example_stream(seed_, "placed-digit.place", split, train ? step : 0,
                                           static_cast<std::uint64_t>(train ? row : i));
      const int image = static_cast<int>(i);
      batch.labels[static_cast<std::size_t>(row)] = images.digit(image);
      const std::size_t begin = static_cast<std::size_t>(row) * static_cast<std::size_t>(side_ * side_);
      compose(stream, images, image, std::span(batch.items.values).subspan(begin),
              std::span(batch.marked).subspan(begin));
    }
    if (patch_ > 0) into_squares(batch);
  }

  std::string word(int pixel) const override {
    return std::to_string(pixel / side_) + "," + std::to_string(pixel % side_);
  }

 private:
  struct Box {
    int left = digit_side, top = digit_side, right = 0, bottom = 0;
  };

  static int below(RandomStream& stream, int count) {
    return static_cast<int>(stream.integer(static_cast<std::uint64_t>(count)));
  }

  int along() const { return side_ / patch_; }

  // A batch of canvases into one of bags of their squares.
  void into_squares(Batch& batch) const {
    const std::vector<float> canvases = std::move(batch.items.values);
    const std::vector<std::uint8_t> boxes = std::move(batch.marked);
    const int items = along() * along();
    batch.items.resize(batch.size, items, patch_ * patch_ + 2 * along());
    batch.marked.assign(static_cast<std::size_t>(batch.size * items), 0);
    for (int row = 0; row < batch.size; ++row)
      for (int y = 0; y < side_; ++y)
        for (int x = 0; x < side_; ++x) {
          const auto pixel = static_cast<std::size_t>((row * side_ + y) * side_ + x);
          const int item = y / patch_ * along() + x / patch_;
          float* const to = batch.items.item(row, item);
          to[y % patch_ * patch_ + x % patch_] = canvases[pixel];
          to[patch_ * patch_ + y / patch_] = to[patch_ * patch_ + along() + x / patch_] = 1;
          if (boxes[pixel] != 0) batch.marked[static_cast<std::size_t>(row * items + item)] = 1;
        }
  }

  void compose(RandomStream& stream, const DigitImages::Images& images, int image, std::span<float> canvas,
               std::span<std::uint8_t> marked) const {
    const int x = below(stream, side_ - digit_side + 1), y = below(stream, side_ - digit_side + 1);
    copy(images.pixels(image), {0, 0, digit_side, digit_side}, x, y, canvas);
    const Box box = ink(images.pixels(image));
    for (int row = box.top; row < box.bottom; ++row)
      std::fill_n(marked.begin() + (y + row) * side_ + x + box.left, std::max(0, box.right - box.left),
                  std::uint8_t{1});
    for (int i = 0; i < pieces_; ++i) {
      const std::uint8_t* const other = images.pixels(images.any(stream));
      const int left = below(stream, digit_side - piece_ + 1), top = below(stream, digit_side - piece_ + 1);
      const int to_x = below(stream, side_ - piece_ + 1), to_y = below(stream, side_ - piece_ + 1);
      copy(other, {left, top, left + piece_, top + piece_}, to_x, to_y, canvas);
    }
  }

  // A part of an image, its upper left corner to (x,y).
  void copy(const std::uint8_t* from, const Box& part, int x, int y, std::span<float> canvas) const {
    for (int row = part.top; row < part.bottom; ++row)
      for (int column = part.left; column < part.right; ++column) {
        float& to = canvas[static_cast<std::size_t>((y + row - part.top) * side_ + x + column - part.left)];
        to = std::max(to, static_cast<float>(from[row * digit_side + column]) * (1.0f / 255));
      }
  }

  static Box ink(const std::uint8_t* pixels) {
    constexpr int faint = 64;  // noise is darker
    Box box;
    for (int row = 0; row < digit_side; ++row)
      for (int column = 0; column < digit_side; ++column) {
        if (pixels[row * digit_side + column] < faint) continue;
        box = {std::min(box.left, column), std::min(box.top, row), std::max(box.right, column + 1),
               std::max(box.bottom, row + 1)};
      }
    return box;
  }

  int side_ = 28, pieces_ = 0, piece_ = 8, patch_ = 0;
  std::uint64_t seed_ = 0;
  DigitImages images_;
};

const Register<Task> placed_digit_task("placed-digit", "which digit is on the canvas, among pieces of others?",
                                       [] { return std::make_unique<PlacedDigit>(); });

}  // namespace

}  // namespace fovea
