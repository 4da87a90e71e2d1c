#include "fovea/data/tasks/files/mnist.h"

#include "fovea/io/bytes.h"
#include "tests/data/tasks/task_help.h"
#include "tests/io/packed.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

std::string number(std::uint32_t x) {
  return {static_cast<char>(x >> 24), static_cast<char>(x >> 16), static_cast<char>(x >> 8), static_cast<char>(x)};
}
std::string images_file(std::uint32_t count, std::uint32_t side = 28) {
  std::string bytes = number(0x803) + number(count) + number(side) + number(side);
  for (std::uint32_t i = 0; i < count * 28 * 28; ++i) bytes += static_cast<char>(i * 7 + i / 784);
  return bytes;
}
std::string labels_file(std::uint32_t count) {
  std::string bytes = number(0x801) + number(count);
  for (std::uint32_t i = 0; i < count; ++i) bytes += static_cast<char>(i % 10);
  return bytes;
}
class Mnist : public WithScratchFolder {
 protected:
  void expect_error(const std::string& images, const std::string& labels, const std::string& part,
                    const std::string& file) {
    try {
      read_idx_digits(put("images", images), put("labels", labels));
      ADD_FAILURE() << "read, though it should say: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
      EXPECT_NE(error.problem().text().find(part), std::string::npos) << error.what();
      EXPECT_EQ(error.location().file, (folder_ / file).string());
    }
  }
};

TEST_F(Mnist, ReadsPlainAndCompressed) {
  const std::string images = images_file(12), labels = labels_file(12);
  const DigitSet plain = read_idx_digits(put("i", images), put("l", labels));
  const DigitSet packed = read_idx_digits(put("i.gz", gzipped(images)), put("l.gz", gzipped(labels)));
  EXPECT_EQ(plain.count(), 12);
  EXPECT_EQ(plain.labels[11], 1);
  ASSERT_EQ(plain.pixels.size(), 12u * 784);
  EXPECT_EQ(plain.pixels[0], 0);
  EXPECT_EQ(plain.pixels[784 * 3 + 5], static_cast<std::uint8_t>((784 * 3 + 5) * 7 + 3));
  EXPECT_EQ(plain.pixels, packed.pixels);
  EXPECT_EQ(plain.labels, packed.labels);
}

TEST_F(Mnist, SaysWhatIsWrong) {
  const std::string images = images_file(10), labels = labels_file(10);
  expect_error(images.substr(0, images.size() - 1), labels,
               "is incomplete: its header has 10 images, which need 7856 bytes, and the file has 7855", "images");
  expect_error(images + "x", labels, "is too long", "images");
  expect_error(images.substr(0, 9), labels, "ends within its header, at byte 9", "images");
  expect_error("", labels, "it has only 0 bytes", "images");
  expect_error(labels, labels, "has labels, not images", "images");
  expect_error(images, images, "has images, not labels", "labels");
  expect_error("RIFF" + images, labels, "begins with 52494646, not 00000803", "images");
  expect_error(images, labels_file(9), "has 10 images, but", "images");
  expect_error(images_file(0), labels_file(0), "has no images", "images");
  expect_error(images_file(10, 32), labels, "32 x 32 pixels", "images");
  expect_error(number(0x803) + number(0xffffffff) + number(28) + number(28), labels,
               "has 4294967295 images by its header", "images");
  std::string eleven = labels;
  eleven[12] = 11;
  expect_error(images, eleven, "label 11 at image 4", "labels");
}

TEST_F(Mnist, SaysWhatIsWrongWithGzip) {
  const std::string packed = gzipped(images_file(10)), labels = labels_file(10);
  expect_error(packed.substr(0, packed.size() / 2), labels, "gzip data end too early", "images");
  expect_error(packed.substr(0, 3), labels, "gzip data end too early", "images");
  std::string damaged = packed;
  damaged[packed.size() - 6] = static_cast<char>(damaged[packed.size() - 6] ^ 1);  // within the checksum
  expect_error(damaged, labels, "damaged gzip data", "images");
  damaged = packed;
  damaged[10] = '\xff';
  expect_error(damaged, labels, "damaged gzip data", "images");
  const Location location{"bomb.gz"};
  const std::string bomb = gzipped(std::string(1 << 20, '\0'));
  EXPECT_THROW(read_unpacked(ByteReader(bomb, location), 1000), Error);
}

TEST_F(Mnist, FolderMayHoldEitherNamingPlainOrCompressed) {
  put("train-images-idx3-ubyte", images_file(10));
  put("train-labels.idx1-ubyte.gz", gzipped(labels_file(10)));
  EXPECT_EQ(read_mnist(folder_, "train").count(), 10);
  try {
    read_mnist(folder_, "t10k");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(error.problem().text().find("has no file t10k-images-idx3-ubyte"), std::string::npos) << error.what();
    EXPECT_EQ(error.location().file, folder_.string());
  }
  EXPECT_THROW(read_mnist(folder_ / "nowhere", "train"), Error);
}

TEST_F(Mnist, LargestDigitReadsAFolder) {
  put("train-images-idx3-ubyte.gz", gzipped(images_file(30)));
  put("train-labels-idx1-ubyte.gz", gzipped(labels_file(30)));
  put("t10k-images-idx3-ubyte", images_file(20));
  put("t10k-labels-idx1-ubyte", labels_file(20));
  const auto task = make_task("largest-digit", table({{"source", word(folder_.string())}, {"bags", whole(50)}}));
  const Batch batch = draw(*task, Split::train, 0, 10);
  EXPECT_EQ(batch.size, 10);
  const std::string missing = complaint("largest-digit", table({{"source", word("/nowhere")}}));
  EXPECT_NE(missing.find("/nowhere"), std::string::npos);
  EXPECT_NE(missing.find("there is no such folder"), std::string::npos);
}

}  // namespace
}  // namespace fovea
