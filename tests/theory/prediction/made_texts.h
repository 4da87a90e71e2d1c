// Texts of two classes that tests make. Example n is of class n mod 2.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/data/bag_source.h"

namespace fovea {

class MadeTexts : public BagSource {
 public:
  // The words of a text, each below `vocab`, by its number and its class.
  using Words = std::function<std::vector<int>(std::int64_t number, int label)>;

  MadeTexts(std::int64_t size, int vocab, Words words) : size_(size), vocab_(vocab), words_(std::move(words)) {}
  Outputs outputs_are() const override { return Outputs::classes; }
  int inputs() const override { return vocab_; }
  int outputs() const override { return 2; }
  std::string input_word(int id) const override { return std::to_string(id); }
  std::string output_word(int id) const override { return std::to_string(id); }
  std::int64_t size() const override { return size_; }
  void each(Team&, const Visit& visit, const Progress&) const override {
    for (std::int64_t number = 0; number < size_; ++number) {
      const int label = static_cast<int>(number % 2);
      visit(0, {number, words_(number, label), std::span(&label, 1)});
    }
  }

 private:
  std::int64_t size_;
  int vocab_;
  Words words_;
};

// Thirty words that have nothing to do with the class, and word 30, which stands in this share of the texts of class 1
// and is missing in that share of the others.
inline MadeTexts leaning_texts(std::int64_t size, std::uint64_t seed, double leans) {
  return {size, 31, [seed, leans](std::int64_t number, int label) {
            RandomStream stream(seed, "leaning", 0, static_cast<std::uint64_t>(number));
            std::vector<int> words;
            for (int i = 0; i < 6; ++i) words.push_back(static_cast<int>(stream.integer(30)));
            if (stream.uniform() < (label ? leans : 1 - leans)) words.push_back(30);
            return words;
          }};
}

}  // namespace fovea
