// Bags of words of texts that are in memory (room data/text). The page's own data (apps/wasm/own_data.cpp) and the
// Python package (python/src/prediction.cpp) make their predictions from them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/bag_source.h"

namespace fovea {

using WordLists = std::vector<std::vector<std::string>>;

struct GivenTextBags {
  WordLists inputs, outputs;  // of each text its words; of each its label alone, or the words of its translation
  BagSource::Outputs outputs_are = BagSource::Outputs::classes;
  std::function<std::vector<std::string>(std::string_view text)> cut;  // how other texts are cut into words
};

// Ids are those that text_bags() gives to the words of a file of the same texts. Throws wrong_input where there is one
// class, or nearly one for each text.
std::unique_ptr<BagSource> given_bags(GivenTextBags given);

}  // namespace fovea
