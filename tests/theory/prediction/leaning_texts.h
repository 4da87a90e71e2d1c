// Made texts with one word that indicates a class, for tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/data/bag_source.h"

namespace fovea {

// Thirty words that have nothing to do with the class, and one that stands in seven of ten texts of class 1, in three
// of the other.
class Leaning final : public BagSource {
 public:
  Leaning(std::int64_t size, std::uint64_t seed, double leans) : size_(size), seed_(seed), leans_(leans) {}
  Outputs outputs_are() const override { return Outputs::classes; }
  int inputs() const override { return 31; }
  int outputs() const override { return 2; }
  std::string input_word(int id) const override { return std::to_string(id); }
  std::string output_word(int id) const override { return std::to_string(id); }
  std::int64_t size() const override { return size_; }
  void each(Team&, const Visit& visit, const Progress&) const override {
    for (std::int64_t number = 0; number < size(); ++number) {
      Stream stream(seed_, "leaning", 0, static_cast<std::uint64_t>(number));
      const int label = static_cast<int>(number % 2);
      std::vector<int> words;
      for (int i = 0; i < 6; ++i) words.push_back(static_cast<int>(stream.integer(30)));
      if (stream.uniform() < (label ? leans_ : 1 - leans_)) words.push_back(30);
      visit(0, {number, words, std::span(&label, 1)});
    }
  }

 private:
  std::int64_t size_;
  std::uint64_t seed_;
  double leans_;
};

}  // namespace fovea
