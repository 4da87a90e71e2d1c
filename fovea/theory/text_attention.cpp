#include "fovea/theory/text_attention.h"

namespace fovea {

namespace {

std::vector<int> ids_of(const std::vector<std::string>& words, const TextMap<int>& known) {
  std::vector<int> ids;
  for (const std::string& word : words) {
    const auto found = known.find(word);
    ids.push_back(found == known.end() ? -1 : found->second);
  }
  return ids;
}

}  // namespace

TextPredictor::TextPredictor(const Prediction& prediction, const BagSource& source)
    : prediction_(prediction), source_(source) {
  for (int id = 0; id < source.inputs(); ++id) inputs_.emplace(source.input_word(id), id);
  if (prediction.kind == BagSource::Outputs::classes) return;
  for (int id = 0; id < source.outputs(); ++id) outputs_.emplace(source.output_word(id), id);
}

TextAttention TextPredictor::of(std::string_view input, std::string_view output) const {
  TextAttention text;
  text.input = source_.cut(input);
  if (prediction_.kind != BagSource::Outputs::classes) text.output = source_.cut(output);
  text.weights = predicted_attention(prediction_, ids_of(text.input, inputs_), ids_of(text.output, outputs_));
  return text;
}

}  // namespace fovea
