// Generation of sequences by model `seq2seq`, word by word, with beam search (room model). Probe `bleu` calls it
// through GeneratesText (optional_queries.h). The rows of a batch are the partial sequences of several sources.
#include <algorithm>

#include "fovea/base/functions/functions.h"
#include "fovea/math/vector_math.h"
#include "fovea/model/seq2seq.h"
#include "fovea/nn/team_matmul.h"

namespace fovea {

namespace {

// Of all sources at once: every word reads all weights, which many rows share.
constexpr int most_rows = 640;

// The state of one layer, kept from word to word: a row behind the other.
template <class T>
struct KeptState {
  std::vector<T> hidden, cell;

  void keep(const RecurrentState<T>& state) {
    hidden.assign(state.hidden.flat().begin(), state.hidden.flat().end());
    if (!state.cell.empty()) cell.assign(state.cell.flat().begin(), state.cell.flat().end());
  }
};

struct Beginning {
  std::vector<int> tokens;
  double log_probability = 0;
  int row = 0;  // whose state it goes on from
};

double penalised(const Beginning& said, double power) {
  return said.log_probability / math::pow((5.0 + static_cast<double>(said.tokens.size())) / 6.0, power);
}

// Some of the sources of a batch.
Batch sources_of(const Batch& batch, int first, int count) {
  Batch some;
  some.size = count;
  const auto begin = batch.source.lengths.begin() + first;
  const std::vector<int> lengths(begin, begin + count);
  some.source.resize(count, *std::max_element(lengths.begin(), lengths.end()));
  some.source.lengths = lengths;
  for (int b = 0; b < count; ++b)
    for (int i = 0; i < lengths[static_cast<std::size_t>(b)]; ++i) some.source.at(b, i) = batch.source.at(first + b, i);
  return some;
}

// The `most` largest, and of equals those that come first, as positions: the largest first.
template <class T>
void find_largest(std::span<const T> row, std::size_t most, std::vector<int>& positions) {
  constexpr std::size_t together = 32;  // of which seldom one is large enough
  positions.clear();
  for (std::size_t begin = 0; begin < row.size(); begin += together) {
    const std::span<const T> some = row.subspan(begin, std::min(together, row.size() - begin));
    if (positions.size() == most) {
      const T least = row[static_cast<std::size_t>(positions.back())];
      int larger = 0;
      for (const T x : some) larger += x > least;
      if (larger == 0) continue;
    }
    for (std::size_t i = begin; i < begin + some.size(); ++i) {
      if (positions.size() == most) {
        if (!(row[i] > row[static_cast<std::size_t>(positions.back())])) continue;
        positions.pop_back();
      }
      const auto larger = [&](T value, int position) { return value > row[static_cast<std::size_t>(position)]; };
      positions.insert(std::upper_bound(positions.begin(), positions.end(), row[i], larger), static_cast<int>(i));
    }
  }
}

// Every beginning made longer by each of its `most` likeliest words; the likeliest first, and of equals the one that
// came first. Its scores are the rows from `first` on.
template <class T>
std::vector<Beginning> longer(const std::vector<Beginning>& open, Matrix<const T> scores, int first, std::size_t most,
                              int never) {
  std::vector<Beginning> all;
  std::vector<int> likeliest;
  for (std::size_t k = 0; k < open.size(); ++k) {
    const int at = first + static_cast<int>(k);
    const std::span<const T> row = scores[at].flat();
    const T sum = log_sum_exp(row);
    find_largest(row, most, likeliest);
    for (const int word : likeliest) {
      if (word == never) continue;
      Beginning next = open[k];
      next.tokens.push_back(word);
      next.log_probability += static_cast<double>(row[static_cast<std::size_t>(word)] - sum);
      next.row = at;
      all.push_back(std::move(next));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Beginning& a, const Beginning& b) { return a.log_probability > b.log_probability; });
  return all;
}

}  // namespace

template <class T>
struct Seq2Seq<T>::Generation {
  Cube<const T> encoded;         // (S,B,He)
  std::span<const int> lengths;  // (B)
  std::vector<KeptState<T>> states;
  AttentionRules rules = {};
  // The source of each row, and what was encoded of them, side by side: kept while the same rows go on.
  std::vector<int> of_rows{};
  std::vector<T> beside{};  // (S,K,He)
  // Of weights that stay what they are.
  std::span<const PreparedWeights<T>> decoder{};
  typename Combiner<T>::Folded folded{};
  PackedMatrix<T> output{};
};

// What is said of a source.
template <class T>
struct Seq2Seq<T>::BeamSearch {
  std::vector<Beginning> open, done;
  int longest = 0;
};

// A row to come: the source that it is of, the row whose state it goes on from, and the last token.
template <class T>
struct Seq2Seq<T>::Asked {
  int source = 0, from = 0, token = 0;
};

// The scores (K,V) of what comes next in K rows, whose states then are those that are kept.
template <class T>
Matrix<T> Seq2Seq<T>::next_scores(Compute& compute, Generation& generation, std::span<const Asked> asked) const {
  const Index K = std::ssize(asked), S = generation.encoded.size(0), width = decoder_.out(), wide = source_width();
  const std::span<int> tokens = compute.arena.take<int>(asked.size()), lengths = compute.arena.take<int>(asked.size());
  const auto initial = compute.arena.take<RecurrentState<T>>(generation.states.size());
  const auto pick = [&](const std::vector<T>& kept) {
    if (kept.empty()) return Matrix<T>();
    const Matrix<T> rows = compute.array<T>(K, width);
    for (Index k = 0; k < K; ++k)
      std::copy_n(kept.data() + asked[static_cast<std::size_t>(k)].from * width, width, rows[k].data());
    return rows;
  };
  for (std::size_t layer = 0; layer < initial.size(); ++layer)
    initial[layer] = {pick(generation.states[layer].hidden), pick(generation.states[layer].cell)};
  for (std::size_t k = 0; k < asked.size(); ++k) {
    tokens[k] = asked[k].token;
    lengths[k] = generation.lengths[static_cast<std::size_t>(asked[k].source)];
  }
  if (!std::equal(asked.begin(), asked.end(), generation.of_rows.begin(), generation.of_rows.end(),
                  [](const Asked& row, int source) { return row.source == source; })) {
    generation.of_rows.clear();
    for (const Asked& row : asked) generation.of_rows.push_back(row.source);
    generation.beside.resize(static_cast<std::size_t>(S * K * wide));
    T* to = generation.beside.data();
    for (Index s = 0; s < S; ++s)
      for (const Asked& row : asked) to = std::copy_n(generation.encoded[s][row.source].data(), wide, to);
  }
  const Cube<const T> sources(generation.beside.data(), S, K, wide);

  const DistinctTokens words = distinct_tokens(compute.arena, tokens, target_table_.vocabulary);
  const auto input = SequenceInput<T>::of_tokens(1, K, target_table_.forward(compute, words.ids), words.index);
  const RecurrentStackTrace<T> decoded = decoder_.forward(compute, input, initial, {}, generation.decoder);
  for (std::size_t layer = 0; layer < initial.size(); ++layer) generation.states[layer].keep(decoded.last(layer));
  const auto contexts = compute.arena.take<Matrix<const T>>(attends_.size());
  const Cube<const T> states = decoded.output();
  for (std::size_t h = 0; h < contexts.size(); ++h) {
    typename CrossAttention<T>::Trace trace;
    contexts[h] =
        attends_[h].forward(compute, states, sources, lengths, rule_of(generation.rules, h), {}, trace).as(K, wide);
  }
  typename Combiner<T>::Trace trace;
  const Matrix<T> scores = compute.array<T>(K, output_.out);
  output_.forward_into(compute, generation.output,
                       combiner_.forward(compute, states.as(K, width), contexts, generation.folded, trace), scores);
  return scores;
}

// One word more of each beginning of each source.
template <class T>
void Seq2Seq<T>::extend(Compute& compute, Generation& generation, std::span<BeamSearch> searches, int beams) const {
  std::vector<Asked> asked;
  for (std::size_t b = 0; b < searches.size(); ++b)
    for (const Beginning& beginning : searches[b].open)
      asked.push_back(
          {static_cast<int>(b), beginning.row, beginning.tokens.empty() ? start_token_ : beginning.tokens.back()});
  const Matrix<T> scores = next_scores(compute, generation, asked);
  int first = 0;
  for (BeamSearch& one : searches) {
    const auto most = static_cast<std::size_t>(beams);
    std::vector<Beginning> next = longer(one.open, Matrix<const T>(scores), first, most + 1, start_token_);
    first += static_cast<int>(one.open.size());
    one.open.clear();
    // The best of all are kept, ended or not: each that has ended leaves room for one less.
    for (Beginning& beginning : next) {
      if (one.open.size() + one.done.size() == most) break;
      const bool ended =
          beginning.tokens.back() == end_token_ || static_cast<int>(beginning.tokens.size()) == one.longest;
      (ended ? one.done : one.open).push_back(std::move(beginning));
    }
  }
}

template <class T>
std::vector<std::vector<int>> Seq2Seq<T>::generate(Compute& compute, const Batch& batch, const Pass& pass,
                                                   const Search& search) const {
  std::vector<std::vector<int>> all;
  const int most = std::max(1, most_rows / search.beams), groups = std::max(1, (batch.size + most - 1) / most);
  const int at_a_time = (batch.size + groups - 1) / groups;
  Arena& arena = compute.arena;
  const Arena::Mark before = arena.mark();
  for (int first = 0; first < batch.size; first += at_a_time) {
    arena.release(before);
    const Batch some = sources_of(batch, first, std::min(at_a_time, batch.size - first));
    const Index B = some.size, S = some.source.columns;
    const Side source =
        side(compute, time_major(arena, some.source.ids, B, S), S, some, some.source.lengths, source_table_);
    const Encoded encoded = encode(compute, source.input, {});
    Generation generation{encoded.output, some.source.lengths, {}, pass.rules};
    generation.decoder = decoder_.prepare(compute);
    generation.folded = combiner_.fold(compute);
    generation.output = team_pack(compute, transposed(output_.weight->matrix()));
    for (const RecurrentState<T>& state : bridge(compute, encoded)) generation.states.emplace_back().keep(state);

    std::vector<BeamSearch> searches(static_cast<std::size_t>(B));
    for (std::size_t b = 0; b < searches.size(); ++b) {
      searches[b].longest = search.longest > 0 ? search.longest : 2 * some.source.lengths[b] + 10;
      searches[b].open = {{{}, 0, static_cast<int>(b)}};
    }
    const Arena::Mark said = arena.mark();
    while (std::any_of(searches.begin(), searches.end(), [](const BeamSearch& one) { return !one.open.empty(); })) {
      arena.release(said);
      extend(compute, generation, searches, search.beams);
    }
    for (BeamSearch& one : searches) {
      const auto best = std::max_element(one.done.begin(), one.done.end(), [&](const auto& x, const auto& y) {
        return penalised(x, search.length_penalty) < penalised(y, search.length_penalty);
      });
      if (best->tokens.back() == end_token_) best->tokens.pop_back();
      all.push_back(std::move(best->tokens));
    }
  }
  arena.release(before);
  return all;
}

template std::vector<std::vector<int>> Seq2Seq<float>::generate(Compute&, const Batch&, const Pass&,
                                                                const Search&) const;
template std::vector<std::vector<int>> Seq2Seq<double>::generate(Compute&, const Batch&, const Pass&,
                                                                 const Search&) const;

}  // namespace fovea
