#include "fovea/lab/bench/step_cost.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/lab/spec/assembly.h"
#include "fovea/nn/stream_rows.h"

namespace fovea {

namespace {

// The settings of a resolved model: every one is there, with its right type.
struct Settings {
  const ValueTable& table;

  std::string word(const char* key) const { return *table.at(key).as<std::string>(); }
  // Of a setting that may be left open.
  bool is(const char* key, const std::string& word) const {
    const auto found = table.find(key);
    return found != table.end() && *found->second.as<std::string>() == word;
  }
  bool flag(const char* key) const { return *table.at(key).as<bool>(); }
  double number(const char* key) const { return static_cast<double>(*table.at(key).as<std::int64_t>()); }
  bool lists(const char* key, const std::string& word) const {
    const ValueList& all = *table.at(key).as<ValueList>();
    return std::any_of(all.begin(), all.end(), [&](const Value& value) { return *value.as<std::string>() == word; });
  }
  std::vector<double> numbers(const char* key) const {
    std::vector<double> all;
    for (const Value& value : *table.at(key).as<ValueList>())
      all.push_back(static_cast<double>(*value.as<std::int64_t>()));
    return all;
  }
};

// What a product of parameters and `rows` rows costs: forward, the gradient of the weights, and that of the rows.
double affine(double rows, double in, double out, bool input_gradient = true) {
  return (input_gradient ? 6 : 4) * rows * in * out;
}

// Attention of T queries over S positions of width H, example by example: scores and contexts, and two gradients each.
double attention_products(double pairs, double width) { return 12 * pairs * width; }

double sum(const std::vector<int>& counts) {
  double total = 0;
  for (const int count : counts) total += count;
  return total;
}

double distinct(std::vector<int> tokens) {
  std::erase(tokens, -1);
  std::sort(tokens.begin(), tokens.end());
  return static_cast<double>(std::unique(tokens.begin(), tokens.end()) - tokens.begin());
}

// A stack of recurrent layers over `words` positions of `rows` sequences, `kinds` of them different.
struct Stack {
  std::string cell;
  double in, width, layers, directions;
  bool given_start;  // starts from a state that is learned through; else from 0, and the first step has no product

  StepCost over(double words, double rows, double kinds) const {
    const double gates = cell == "lstm" ? 4 : 3, functions = cell == "lstm" ? 5 : 3;
    StepCost cost;
    for (double layer = 0; layer < layers; ++layer) {
      const bool first = layer == 0;
      const double inputs = first ? affine(kinds, in, gates * width) : affine(words, directions * width, gates * width);
      const double recurrent = affine(given_start ? words : words - rows, width, gates * width);
      cost.operations += directions * (inputs + recurrent);
      cost.functions += directions * functions * words * width;
    }
    return cost;
  }
};

StepCost operator+(const StepCost& a, const StepCost& b) {
  return {a.operations + b.operations, a.functions + b.functions, a.bytes + b.bytes};
}

StepCost seq2seq_cost(const Settings& s, const TaskShape& shape, const Batch& batch, double heads) {
  const double directions = s.flag("bidirectional") ? 2 : 1, layers = s.number("layers");
  const double embedding = s.number("embedding"), hidden = s.number("hidden"), width = directions * hidden;
  const bool recurrent = !s.is("encoder", "embedding");
  const double source = recurrent ? width : embedding;  // numbers of a state that is attended to
  const double rows = batch.size, sources = sum(batch.source.lengths), targets = sum(batch.target.lengths);
  double pairs = 0;
  std::vector<int> fed;  // what the decoder is given: the start, and every target word but the last
  for (int b = 0; b < batch.size; ++b) {
    const auto row = static_cast<std::size_t>(b);
    pairs += static_cast<double>(batch.source.lengths[row]) * batch.target.lengths[row];
    fed.push_back(shape.start_token);
    for (int t = 0; t + 1 < batch.target.lengths[row]; ++t) fed.push_back(batch.target.at(b, t));
  }
  StepCost cost =
      Stack{s.word("cell"), embedding, width, layers, 1, true}.over(targets, rows, distinct(std::move(fed)));
  if (recurrent)
    cost = cost + Stack{s.word("cell"), embedding, hidden, layers, directions, false}.over(sources, rows,
                                                                                           distinct(batch.source.ids));
  const std::string attention = s.word("attention");
  if (attention == "none") heads = 0;
  cost.operations += affine(targets, width, width);  // U d
  if (heads > 0) {
    cost.operations += heads * affine(targets, source, width);  // (U P) context
    cost.operations += heads * affine(width, width, source);    // U P
    if (attention == "learned" && s.is("score", "additive")) {
      cost.operations += heads * (affine(targets, width, hidden) + affine(sources, source, hidden) +  // W [e; d]
                                  6 * pairs * hidden + attention_products(pairs, source) / 2);
      cost.functions += heads * pairs * (1 + hidden);
    } else if (attention == "learned") {
      cost.operations += heads * (affine(targets, width, source) + attention_products(pairs, source));  // A d
      cost.functions += heads * pairs;
    } else {
      cost.operations += heads * attention_products(pairs, source) / 3;  // contexts, and the gradient of the states
    }
  }
  cost.operations += affine(targets, width, shape.target_vocab);
  cost.functions += targets * (width + shape.target_vocab);  // of the combiner, of the softmax over words
  return cost;
}

StepCost classifier_cost(const Settings& s, const TaskShape& shape, const Batch& batch) {
  const double directions = s.flag("bidirectional") ? 2 : 1, width = directions * s.number("hidden");
  const double words = sum(batch.source.lengths), classes = shape.classes == 2 ? 1 : shape.classes;
  StepCost cost = Stack{s.word("cell"), s.number("embedding"), s.number("hidden"), 1, directions, false}.over(
      words, batch.size, distinct(batch.source.ids));
  cost.operations += affine(words, width, classes) + affine(words, 1, classes);  // β, and their weighted sum
  if (s.word("attention") == "learned") {
    const double hidden = s.number("score_hidden");
    cost.operations +=
        s.word("score") == "mlp" ? affine(words, width, hidden) + affine(words, hidden, 1) : affine(words, width, 1);
    cost.functions += words;
  }
  return cost;
}

StepCost window_cost(const Settings& s, const TaskShape& shape, const Batch& batch) {
  const double width = s.number("hidden"), reach = s.number("reach"), tags = shape.target_vocab;
  const double words = sum(batch.source.lengths);
  double pairs = 0;  // words and positions of their windows
  for (const int length : batch.source.lengths)
    for (int t = 0; t < length; ++t) pairs += 1 + std::min<double>(reach, t) + std::min<double>(reach, length - 1 - t);
  StepCost cost;
  cost.operations = affine(pairs, s.number("embedding"), width) + affine(pairs, 1, width) + affine(words, width, tags);
  cost.functions = pairs * width + words * tags;
  if (s.word("attention") == "uniform") return cost;
  cost.operations += affine(pairs, width, 1);
  cost.functions += pairs;
  return cost;
}

StepCost recurrent_tagger_cost(const Settings& s, const TaskShape& shape, const Batch& batch) {
  const double width = 2 * s.number("hidden"), tags = shape.target_vocab, words = sum(batch.source.lengths);
  double pairs = 0;
  for (const int length : batch.source.lengths) pairs += static_cast<double>(length) * length;
  StepCost cost = Stack{s.word("cell"), s.number("embedding"), s.number("hidden"), 1, 2, false}.over(
      words, batch.size, shape.features > 0 ? words : distinct(batch.source.ids));
  cost.operations += 2 * affine(words, width, tags);  // of states and contexts
  cost.functions += words * tags;
  if (s.word("attention") == "uniform") return cost;
  cost.operations += affine(words, width, width) + attention_products(pairs, width);
  cost.functions += pairs;
  return cost;
}

double mlp(double rows, const std::vector<double>& widths, bool input_gradient) {
  double operations = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i)
    operations += affine(rows, widths[i], widths[i + 1], input_gradient || i > 0);
  return operations;
}

StepCost bag_cost(const Settings& s, const TaskShape& shape, const Batch& batch, const std::string& score) {
  const double bags = batch.size, items = sum(batch.items.lengths);
  std::vector<double> widths = s.numbers("hidden");
  const double width = widths.back();
  const bool flat = score == "flat";
  widths.insert(widths.begin(), flat ? double(shape.width) * shape.most_items : double(shape.width));
  StepCost cost;
  cost.operations = mlp(flat ? bags : items, widths, false) + mlp(bags, {width, width, double(shape.classes)}, true);
  cost.functions = bags * shape.classes;
  if (flat) return cost;
  const double hidden = s.number("score_hidden") > 0 ? s.number("score_hidden") : width;
  cost.functions += items;
  cost.operations += affine(items, 1, width);                         // the weighted sum
  if (score != "simple") cost.operations += affine(items, 1, width);  // the mean
  if (score == "simple") {
    cost.operations += affine(items, width, hidden) + affine(items, hidden, 1);
  } else if (score == "dot") {
    cost.operations += affine(items, width, 1);
  } else if (score == "general") {
    cost.operations += affine(bags, width, width) + affine(items, width, 1);
  } else {
    cost.operations += affine(items, width, hidden) + affine(bags, width, hidden) + affine(items, hidden, 1);
    cost.functions += items * hidden;
  }
  return cost;
}

StepCost feature_cost(const Settings& s, const TaskShape& shape, const Batch& batch) {
  const double rows = batch.size, features = shape.width, outputs = shape.classes == 2 ? 1 : shape.classes;
  std::vector<double> widths = s.numbers("hidden");
  const std::string gate = s.word("gate");
  StepCost cost;
  // A gate of each example's own needs the gradient of its weighted input; one for all is folded into the weights.
  cost.operations = affine(rows, features, widths[0], gate == "input");
  widths.push_back(outputs);
  cost.operations += mlp(rows, widths, true);
  cost.functions = rows * outputs;
  if (gate == "free") cost.functions += features;
  if (gate != "input") return cost;
  const double hidden = s.number("gate_hidden");
  cost.operations += affine(rows, features, hidden, false) + affine(rows, hidden, features);
  cost.functions += rows * features;
  return cost;
}

// Similarities are computed again on the way back: held, they would be n × m.
StepCost pooling_cost(const Settings& s, const TaskShape& shape, const Batch& batch) {
  const std::string kind = s.word("similarity");
  const double keys = batch.items.columns, d = shape.width, values = shape.value_width;
  const double queries = s.word("train_on") == "queries" ? batch.queries.columns : keys;
  const double pairs = keys * queries, hidden = kind == "additive" ? s.number("hidden") : 0;
  const bool learns = kind == "gaussian-learned" || kind == "general" || kind == "additive";
  const double similarity = kind == "average" ? 0 : kind == "additive" ? hidden : d;
  StepCost cost;
  cost.operations = 2 * pairs * (similarity + values);
  cost.functions = pairs * (1 + hidden);
  if (kind == "additive") cost.operations += 2 * (keys + queries) * d * hidden;
  if (kind == "general") cost.operations += 2 * queries * d * d;
  if (!learns) return cost;
  cost.operations += 2 * pairs * (similarity + values);
  cost.functions += pairs * (1 + hidden);
  if (kind == "gaussian-learned") cost.operations += 2 * pairs;  // Σ s ds
  if (kind == "general") cost.operations += 2 * pairs * d + 2 * queries * d * d;
  if (kind == "additive") cost.operations += 6 * pairs * hidden + 2 * (keys + queries) * d * hidden;
  return cost;
}

// Of places that are alike the first layer makes queries, keys and values once; in the last layer only what is asked
// attends, is mapped back, and is read by the mlp; what is frozen has no gradient, nor has what leads to nothing that
// learns.
StepCost transformer_cost(const Settings& s, const TaskShape& shape, const Batch& batch) {
  const double rows = sum(batch.source.lengths), layers = s.number("layers"), heads = s.number("heads");
  double asked = 0, asked_pairs = 0;
  for (std::size_t n = 0; n < batch.target.ids.size(); ++n) {
    if (batch.target.ids[n] < 0) continue;
    asked += 1;
    asked_pairs += static_cast<double>(n % static_cast<std::size_t>(batch.target.columns) + 1);
  }
  const double width = s.number("width"), mlp = s.number("mlp") * width;
  const std::string queries = s.word("queries"), position = s.word("position");
  const double keys = queries == "separate" ? width : heads * width;
  double all_pairs = 0;
  for (const int length : batch.source.lengths) all_pairs += 0.5 * length * (length + 1);
  const bool normal = s.word("norm") == "pre";
  const bool embedded = !s.lists("frozen", "embed") || (position == "learned" && !s.lists("frozen", "positions"));
  const auto map = [](double count, double in, double out, bool learns, bool deeper) {
    return 2 * count * in * out * (1 + (learns ? 1 : 0) + (deeper ? 1 : 0));
  };
  Arena arena;
  const DistinctRows distinct =
      distinct_rows(arena, batch.source.ids, batch.source.columns, shape.vocab, position == "learned");
  StepCost cost;
  for (double layer = 1; layer <= layers; ++layer) {
    const auto learns = [&](const char* part) {
      return !s.lists("frozen", part + std::to_string(static_cast<int>(layer)));
    };
    const bool qk = learns("qk."), v = learns("v."), reads = normal || layer > 1 || embedded;
    const double given = layer < layers ? rows : asked, pairs = layer < layers ? all_pairs : asked_pairs;
    const bool has_query = queries != "identity", has_key = queries != "merged";
    const bool shared = layer == 1 && !distinct.of_positions.same();
    const double made = shared ? static_cast<double>(distinct.tokens.size()) : rows, asking = shared ? made : given;
    cost.operations += has_query * map(asking, width, keys, qk, reads) + has_key * map(made, width, keys, qk, reads) +
                       map(made, width, width, v, reads) + map(given, width, width, learns("o."), true);
    // Scores, sums, and the gradients of weights, queries, keys and values.
    const double of_scores = (reads || (has_query && qk)) + (reads || (has_key && qk));
    const bool relative = position == "relative";
    cost.operations += 2 * pairs * ((1 + of_scores) * keys + 2 * width + (reads || v ? width : 0));
    if (relative) cost.operations += 2 * pairs * keys * (2 + !s.lists("frozen", "positions"));
    if (s.word("attention") == "softmax") cost.functions += heads * pairs;
    if (mlp == 0) continue;
    cost.operations += 2 * map(given, width, mlp, learns("mlp."), true);
    if (s.word("activation") == "gelu") cost.functions += given * mlp;
  }
  cost.operations += map(asked, width, shape.target_vocab, !s.lists("frozen", "unembed"), true);
  cost.functions += asked * shape.target_vocab;
  return cost;
}

StepCost addresses_cost(const Settings& s, const TaskShape& shape, const Batch& batch) {
  const double rows = batch.size, accesses = rows * batch.source.columns / 3;  // each a counter, a page and an offset
  const double page = s.number("page_width"), counter = s.number("counter_width"), hidden = s.number("hidden");
  std::vector<int> counters, pages;
  for (std::size_t i = 0; i + 2 < batch.source.ids.size(); i += 3) {
    counters.push_back(batch.source.ids[i]);
    pages.push_back(batch.source.ids[i + 1]);
  }
  const double pairs = accesses * s.number("experts");
  const bool learned = s.word("attention") == "learned";
  StepCost cost;
  cost.operations = attention_products(pairs, page) / (learned ? 1 : 3);
  cost.functions = learned ? pairs : 0;
  for (const double classes : {static_cast<double>(shape.pages), static_cast<double>(shape.offsets)}) {
    cost.operations += affine(distinct(counters), counter, 4 * hidden) + affine(distinct(pages), page, 4 * hidden) +
                       affine(accesses, page, 4 * hidden) + affine(accesses - rows, hidden, 4 * hidden) +
                       affine(rows, hidden, classes);
    cost.functions += 5 * accesses * hidden + rows * classes;
  }
  return cost;
}

// The places of the first glimpse and its state before are given; of a place no gradient is made.
StepCost glimpse_cost(const Settings& s, const TaskShape& shape, const Batch& batch) {
  const double rows = batch.size, glimpses = rows * s.number("glimpses"), later = glimpses - rows;
  const double what = s.number("what_width"), where = s.number("where_width"), hidden = s.number("hidden");
  const double joined = s.number("glimpse_width"), pixels = s.number("scales") * s.number("patch") * s.number("patch");
  StepCost cost;
  cost.operations = affine(glimpses, pixels, what, false) + affine(glimpses, 2, where, false) +
                    affine(glimpses, what + where, joined) + affine(glimpses, joined, hidden) +
                    affine(later, hidden, hidden) + affine(rows, hidden, shape.classes);
  if (s.word("policy") == "learned") {
    cost.operations += affine(later, hidden, 2) + affine(later, hidden, 1, false);  // places, expected reward
    cost.functions += 2 * later;
  }
  cost.functions += rows * shape.classes;
  return cost;
}

StepCost gate_cost(const Batch& batch) { return {10 * sum(batch.source.lengths), sum(batch.source.lengths), 0}; }

}  // namespace

std::optional<StepCost> batch_cost(const RunSpec& spec, const TaskShape& shape, const Batch& batch) {
  const std::string model = *spec.model.at("name").as<std::string>();
  const Settings settings{spec.model};
  if (model == "seq2seq") return seq2seq_cost(settings, shape, batch, 1);
  if (model == "seq2seq-heads")
    return seq2seq_cost(settings, shape, batch, static_cast<double>(settings.numbers("heads").size()));
  if (model == "gated-classifier") return classifier_cost(settings, shape, batch);
  if (model == "window-tagger") return window_cost(settings, shape, batch);
  if (model == "recurrent-tagger") return recurrent_tagger_cost(settings, shape, batch);
  if (model == "bag-attention") return bag_cost(settings, shape, batch, settings.word("score"));
  if (model == "bag-flat") return bag_cost(settings, shape, batch, "flat");
  if (model == "feature-attention") return feature_cost(settings, shape, batch);
  if (model == "transformer") return transformer_cost(settings, shape, batch);
  if (model == "address-attention") return addresses_cost(settings, shape, batch);
  if (model == "glimpse") return glimpse_cost(settings, shape, batch);
  if (model == "pooling") return pooling_cost(settings, shape, batch);
  if (model == "toy-gate" || model == "unigram-gate") return gate_cost(batch);
  return {};
}

std::optional<StepCost> step_cost(const RunSpec& spec) { return step_cost(spec, *make_task(spec)); }

std::optional<StepCost> step_cost(const RunSpec& spec, const Task& task) {
  constexpr int batches = 8;
  const TaskShape shape = task.shape();
  const TrainSettings train = read_train(spec.train);
  ParameterSet<float> parameters;
  const std::unique_ptr<Model<float>> model = make_model<float>(spec, shape, parameters);
  StepCost total;
  Batch batch;
  for (int step = 0; step < batches; ++step) {
    task.batch(Split::train, static_cast<std::uint64_t>(step), train.batch, batch);
    const std::optional<StepCost> cost = batch_cost(spec, shape, batch);
    if (!cost) return {};
    total = total + *cost;
  }
  const int arrays = 2 + train.optimizer.part().moments();  // values, gradients, moments
  const int width = train.precision == TrainSettings::Precision::float64 ? 8 : 4;
  return StepCost{total.operations / batches, total.functions / batches,
                  2.0 * arrays * width * static_cast<double>(parameters.count())};
}

}  // namespace fovea
