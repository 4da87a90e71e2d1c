// The model of bench/systems/translation says sentences itself, by beam search, twice: timed the second time, since a
// peer is timed when it has said all before. What it began from and what it said can be written, so that a peer shows
// that it says the same before anyone is timed (bench/compare beam).
//
//   say_sentences SENTENCES BEAMS LONGEST THREADS PRECISION [OUT.safetensors]
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "fovea/base/file.h"
#include "fovea/io/safetensors.h"
#include "fovea/lab/bench/bench.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/model/optional_queries.h"

namespace fovea {
namespace {

constexpr const char* example = "say_sentences 200 5 20 1 float";

int whole(const char* text) {
  const int value = std::atoi(text);
  if (value < 1) throw wrong_input(fmt::format("'{}' is no number of one or more", text), example);
  return value;
}

// Rows of numbers, -1 where one is shorter than the longest.
Tensor table_of(const std::string& name, const std::vector<std::vector<int>>& rows, std::vector<int>& cells) {
  std::size_t columns = 0;
  for (const std::vector<int>& row : rows) columns = std::max(columns, row.size());
  for (const std::vector<int>& row : rows) {
    cells.insert(cells.end(), row.begin(), row.end());
    cells.insert(cells.end(), columns - row.size(), -1);
  }
  return {name, "I32", {std::ssize(rows), static_cast<Index>(columns)}, std::as_bytes(std::span(cells))};
}

int run(int argc, char** argv) {
  if (argc < 6)
    throw wrong_input("say_sentences needs how many, beams, the longest, threads, and a precision", example);
  const int sentences = whole(argv[1]);
  const Search search{whole(argv[2]), 1.0, whole(argv[3])};
  const RunSpec spec =
      resolve(find_bench_system("translation"), Preset::full, {{"train.precision", {std::string(argv[5]), {}}}}, 0);
  const std::unique_ptr<Task> task = make_task(spec);
  const TaskShape shape = task->shape();
  ParameterSet<float> parameters;
  const std::unique_ptr<Model<float>> model = make_model<float>(spec, shape, parameters);
  // At their start words are about equally likely: larger weights give a beam something to choose.
  for (const Param<float>& p : parameters.all())
    for (float& value : p.values()) value *= 2;

  Batch batch;
  task->batch(Split::test, 0, sentences, batch);
  Team team(whole(argv[4]));
  Arena arena;
  Compute compute{arena, team, Gradients::all, read_train(spec.train).products()};
  const auto generate = [&] { return model->as_generator()->generate(compute, batch, {}, search); };
  generate();
  const auto began = std::chrono::steady_clock::now();
  const std::vector<std::vector<int>> said = generate();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
  std::size_t words = 0;
  for (const std::vector<int>& one : said) words += one.size();
  fmt::print("{{\"seconds\": {}, \"words\": {}}}\n", passed.count(), words);
  if (argc < 7) return 0;

  std::vector<std::vector<int>> sources;
  for (int b = 0; b < batch.size; ++b) {
    const auto from = batch.source.ids.begin() + std::ptrdiff_t{b} * batch.source.columns;
    sources.emplace_back(from, from + batch.source.lengths[static_cast<std::size_t>(b)]);
  }
  std::vector<int> source_cells, said_cells;
  std::vector<Tensor> tensors{table_of("sources", sources, source_cells), table_of("said", said, said_cells)};
  for (const Param<float>& p : parameters.all())
    tensors.push_back({"parameter." + p.name, "F32", p.shape, std::as_bytes(p.values())});
  const std::map<std::string, std::string> about{{"spec", spec.text()},
                                                 {"shape.vocab", fmt::to_string(shape.vocab)},
                                                 {"shape.target_vocab", fmt::to_string(shape.target_vocab)},
                                                 {"shape.start_token", fmt::to_string(shape.start_token)},
                                                 {"shape.end_token", fmt::to_string(shape.end_token)},
                                                 {"beams", argv[2]},
                                                 {"longest", argv[3]}};
  write_whole(argv[6], safetensors(tensors, about));
  return 0;
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) {
  try {
    return fovea::run(argc, argv);
  } catch (const fovea::Error& error) {
    std::fprintf(stderr, "say_sentences: %s\n", error.what());
    return error.exit_code();
  }
}
