#include "apps/wasm/room.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "fovea/lab/spec/assembly.h"

namespace fovea::page {

namespace {

constexpr double most_numbers = 1 << 29;  // floats in 2 GB, which is all that the engine can have

// Of what a recurrent net keeps at each position: four gates, read both ways.
double widest(const ValueTable& model) {
  double width = 1;
  for (const auto& [name, value] : model)
    if (const auto* const hidden = value.as<std::int64_t>(); hidden && name.ends_with("hidden"))
      width = std::max(width, 8 * static_cast<double>(*hidden));
  return width;
}

constexpr int few_words = 8;  // texts that had to be shorter are nobody's

Error no_room_with(const std::string& remedy) {
  return failure("a browser does not have enough memory for this training",
                 remedy + "use a smaller batch, vocabulary or hidden size, or let the program train it");
}

}  // namespace

Error no_room() { return no_room_with({}); }

void refuse_without_room(const RunSpec& spec) {
  const TrainSettings train = read_train(spec.train);
  const ProbeSettings probe = read_probe(spec.probe).settings;
  const std::unique_ptr<Task> task = make_task(spec);
  const TaskShape shape = task->shape();
  Batch one;
  task->batch(Split::validation, 0, 1, one);
  const double examples = std::max({train.batch, probe.examples, probe.keep});
  const double positions = std::max({one.source.columns, one.target.columns, shape.most_items, 1});
  const double said = std::max({shape.target_vocab, shape.classes, shape.width});
  const double width = std::max(widest(spec.model), said);
  if (examples * positions * std::max(width, positions) < most_numbers) return;
  const double fits = std::floor(std::min(most_numbers / examples / width, std::sqrt(most_numbers / examples)));
  if (fits < few_words || one.source.columns < positions) throw no_room();
  throw no_room_with(fmt::format("give texts of fewer than {} words (the longest has {}), ", fits, positions));
}

}  // namespace fovea::page
