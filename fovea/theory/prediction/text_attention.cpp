#include "fovea/theory/prediction/text_attention.h"

#include <algorithm>

#include "fovea/math/vector_math.h"

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

std::vector<std::vector<double>> predicted_attention(const Prediction& prediction, std::span<const int> input,
                                                     std::span<const int> output) {
  std::vector<std::vector<double>> rows;
  if (prediction.kind == BagSource::Outputs::classes) {
    std::vector<double> row;
    for (const int word : input)
      row.push_back(word < 0 ? 0 : prediction.attention_logits[static_cast<std::size_t>(word)]);
    softmax(std::span<const double>(row), std::span<double>(row));
    rows.push_back(std::move(row));
    return rows;
  }
  for (const int word : output) {
    const auto found = std::find_if(prediction.outputs.begin(), prediction.outputs.end(),
                                    [word](const OutputPrediction& one) { return one.output == word; });
    const int linked = found == prediction.outputs.end() || found->words.empty() ? -1 : found->words.front().input;
    const auto there = linked < 0 ? 0 : std::count(input.begin(), input.end(), linked);
    std::vector<double> row;
    for (const int i : input)
      row.push_back(there == 0    ? 1 / static_cast<double>(input.size())
                    : i == linked ? 1 / static_cast<double>(there)
                                  : 0);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace fovea
