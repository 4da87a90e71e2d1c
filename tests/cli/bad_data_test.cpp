// What a person is told whose data or formula is wrong: what, where, what to do, in one line, and exit code 2.
#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;
namespace fs = std::filesystem;

std::string number(std::uint32_t x) {
  return {static_cast<char>(x >> 24), static_cast<char>(x >> 16), static_cast<char>(x >> 8), static_cast<char>(x)};
}
std::string images_file(std::uint32_t count) {
  std::string bytes = number(0x803) + number(count) + number(28) + number(28);
  for (std::uint32_t i = 0; i < count * 28 * 28; ++i) bytes += static_cast<char>(i * 7 + i / 784);
  return bytes;
}
std::string labels_file(std::uint32_t count) {
  std::string bytes = number(0x801) + number(count);
  for (std::uint32_t i = 0; i < count; ++i) bytes += static_cast<char>(i % 10);
  return bytes;
}

class BadDataTest : public ProgramTest {
 protected:
  // A small set in the form of MNIST.
  void write_digits() const {
    fs::create_directories(folder_ / "digits");
    write("digits/train-images-idx3-ubyte", images_file(10));
    write("digits/train-labels-idx1-ubyte", labels_file(10));
    write("digits/t10k-images-idx3-ubyte", images_file(10));
    write("digits/t10k-labels-idx1-ubyte", labels_file(10));
  }
  void expect_refused(const std::string& words, const std::vector<std::string>& said) const {
    const Outcome outcome = fovea(words + " --quiet");
    EXPECT_EQ(outcome.code, 2) << words << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << words;
    for (const std::string& part : said)
      EXPECT_NE(outcome.err.find(part), std::string::npos) << part << "\nis not in: " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(json("runs --json")["runs"].size(), 0u);
  }
  static constexpr const char* run_digits = "run digits-simple --quick --set task.source=digits";
};

TEST_F(BadDataTest, AFolderOfDigitsIsReadWhenItIsRight) {
  write_digits();
  const auto run = json(std::string(run_digits) + " --set train.steps=2 --set probe.examples=5 --json --quiet");
  EXPECT_EQ(run["steps"], 2);
}

TEST_F(BadDataTest, AFolderOfDigitsThatIsWrongIsRefused) {
  expect_refused(run_digits, {"digits", "there is no such folder"});
  write_digits();
  write("digits/train-images-idx3-ubyte", images_file(10).substr(0, 5000));
  expect_refused(run_digits, {"digits/train-images-idx3-ubyte", "is incomplete", "10 images", "7856 bytes", "5000"});
  write("digits/train-images-idx3-ubyte", labels_file(10));
  write("digits/train-labels-idx1-ubyte", images_file(10));
  expect_refused(run_digits, {"digits/train-labels-idx1-ubyte", "has images, not labels", "swapped"});
  write_digits();
  write("digits/t10k-images-idx3-ubyte", "PNG!" + images_file(10));
  expect_refused(run_digits, {"digits/t10k-images-idx3-ubyte", "begins with 504e4721, not 00000803"});
  write("digits/t10k-images-idx3-ubyte", images_file(10));
  write("digits/t10k-labels-idx1-ubyte", labels_file(9));
  expect_refused(run_digits, {"digits/t10k-images-idx3-ubyte", "has 10 images", "t10k-labels-idx1-ubyte has 9 labels"});
  fs::remove(folder_ / "digits/t10k-labels-idx1-ubyte");
  expect_refused(run_digits, {"digits", "has no file t10k-labels-idx1-ubyte"});
}

TEST_F(BadDataTest, ASimilarityThatIsNoNumberIsNamed) {
  expect_refused("run pooling-gaussian --set model.similarity=user --set 'model.formula=log(k - q)'",
                 {"the similarity 'log(k - q)' is not a number for query", "and key"});
  expect_refused("run pooling-gaussian --set model.similarity=user --set 'model.formula=sqrt(x)'", {"there is no 'x'"});
}

}  // namespace
}  // namespace fovea
