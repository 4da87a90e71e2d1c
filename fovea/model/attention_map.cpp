#include "fovea/model/attention_map.h"

#include <fmt/format.h>

#include "fovea/base/error/error.h"

namespace fovea {

namespace {

std::string rows_name(AttentionRows rows) {
  switch (rows) {
    case AttentionRows::example:
      return "an example";
    case AttentionRows::target_word:
      return "a target word";
    case AttentionRows::query:
      return "a query";
    case AttentionRows::position:
      return "a position";
    case AttentionRows::access:
      return "an access";
    case AttentionRows::glimpse:
      return "a glimpse";
  }
  return {};
}

Index rows_of(AttentionRows rows, const Batch& batch) {
  switch (rows) {
    case AttentionRows::example:
      return 1;
    case AttentionRows::target_word:
      return batch.target.columns;
    case AttentionRows::query:
      return -1;  // the queries, or in training the keys themselves
    case AttentionRows::position:
      return batch.source.columns;
    case AttentionRows::access:
      return batch.source.columns / 3;
    case AttentionRows::glimpse:
      return -1;  // the model's own, whatever the batch
  }
  return -1;
}

Index columns_of(AttentionColumns columns, const Batch& batch) {
  switch (columns) {
    case AttentionColumns::source_word:
      return batch.source.columns;
    case AttentionColumns::item:
    case AttentionColumns::key:
      return batch.items.columns;
    case AttentionColumns::feature:
    case AttentionColumns::pixel:
      return batch.items.width;
    case AttentionColumns::expert:
      return -1;  // the model's own, whatever the batch
  }
  return -1;
}

}  // namespace

std::string_view key_of(AttentionRows rows) {
  switch (rows) {
    case AttentionRows::example:
      return "example";
    case AttentionRows::target_word:
      return "target_word";
    case AttentionRows::query:
      return "query";
    case AttentionRows::position:
      return "place";
    case AttentionRows::access:
      return "access";
    case AttentionRows::glimpse:
      return "glimpse";
  }
  return {};
}

std::string_view key_of(AttentionColumns columns) {
  switch (columns) {
    case AttentionColumns::source_word:
      return "source_word";
    case AttentionColumns::item:
      return "item";
    case AttentionColumns::feature:
      return "feature";
    case AttentionColumns::key:
      return "key";
    case AttentionColumns::expert:
      return "expert";
    case AttentionColumns::pixel:
      return "pixel";
  }
  return {};
}

AttentionMeaning attention_meaning(Kind kind) {
  switch (kind) {
    case Kind::labelled_tokens:
      return {AttentionRows::example, AttentionColumns::source_word};
    case Kind::token_pairs:
    case Kind::tagged_tokens:
      return {AttentionRows::target_word, AttentionColumns::source_word};
    case Kind::labelled_vectors:
      return {AttentionRows::example, AttentionColumns::feature};
    case Kind::labelled_bags:
      return {AttentionRows::example, AttentionColumns::item};
    case Kind::points:
      return {AttentionRows::query, AttentionColumns::key};
    case Kind::token_streams:
      return {AttentionRows::position, AttentionColumns::source_word};
    case Kind::accesses:
      return {AttentionRows::access, AttentionColumns::expert};
  }
  return {};
}

template <class T>
void check_attention(const AttentionMeaning& meaning, const Batch& batch, std::string_view name, Cube<T> weights) {
  if (weights.empty()) return;
  const Index rows = rows_of(meaning.rows, batch), columns = columns_of(meaning.columns, batch);
  if (weights.size(0) != batch.size)
    throw failure(
        fmt::format("attention '{}' is of {} examples, and the batch has {}", name, weights.size(0), batch.size),
        "the model must give the examples that it was given");
  if (rows >= 0 && weights.size(1) != rows)
    throw failure(fmt::format("attention '{}' has {} rows for each example, and rows are {}: {} of them", name,
                              weights.size(1), rows_name(meaning.rows), rows),
                  "give each head or layer a map of its own");
  if (columns >= 0 && weights.size(2) != columns)
    throw failure(fmt::format("attention '{}' has {} columns, and the batch has {} positions to attend to", name,
                              weights.size(2), columns),
                  "give padding a column too, of weight 0");
}

template void check_attention(const AttentionMeaning&, const Batch&, std::string_view, Cube<float>);
template void check_attention(const AttentionMeaning&, const Batch&, std::string_view, Cube<double>);

}  // namespace fovea
