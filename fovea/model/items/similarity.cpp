#include "fovea/model/items/similarity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "fovea/base/functions/functions.h"
#include "fovea/math/matmul.h"
#include "fovea/math/vector_math.h"
#include "fovea/nn/team_matmul.h"

namespace fovea {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A similarity of inner products is one matrix product a tile: the gaussian too, since of -‖q-k‖² w²/2 softmax sees
// only w² (q·k - ‖k‖²/2), for as long as these stay small enough to differ from each other.
bool inner(SimilarityKind kind) {
  return kind == SimilarityKind::average || kind == SimilarityKind::gaussian ||
         kind == SimilarityKind::gaussian_learned || kind == SimilarityKind::dot || kind == SimilarityKind::general;
}
bool gaussian(SimilarityKind kind) {
  return kind == SimilarityKind::gaussian || kind == SimilarityKind::gaussian_learned;
}

template <class T>
std::string numbers_text(std::span<const T> x) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(x.size(), 4); ++i)
    text += fmt::format("{}{:.6g}", i ? ", " : "", x[i]);
  return x.size() > 4 ? text + ", …" : text;
}

}  // namespace

template <class T>
void Similarity<T>::settings(Fields& fields) {
  using Kind = SimilarityKind;
  fields.choice("similarity", kind_,
                {{"average", Kind::average},
                 {"gaussian", Kind::gaussian},
                 {"boxcar", Kind::boxcar},
                 {"epanechnikov", Kind::epanechnikov},
                 {"gaussian-learned", Kind::gaussian_learned},
                 {"dot", Kind::dot},
                 {"general", Kind::general},
                 {"additive", Kind::additive},
                 {"user", Kind::user}},
                "similarity of a query and a key");
  fields.number("w", w_, -1e6, 1e6, "gaussian: factor of the differences; gaussian-learned: initial w");
  fields.only_of("similarities \"gaussian\" and \"gaussian-learned\"", [this] { return gaussian(kind_); });
  fields.number("width", width_, 1e-9, 1e9, "boxcar, epanechnikov: largest distance of a key from the query");
  fields.only_of("similarities \"boxcar\" and \"epanechnikov\"",
                 [this] { return kind_ == SimilarityKind::boxcar || kind_ == SimilarityKind::epanechnikov; });
  fields.integer("hidden", hidden_, 1, 10'000, "additive: hidden width");
  fields.only_of("similarity \"additive\"", [this] { return kind_ == SimilarityKind::additive; });
  fields.text("formula", text_,
              "user: of d2 = ‖q-k‖², dot = q·k and, in one dimension, q and k; as in \"-abs(q - k)\"");
  fields.only_of("similarity \"user\"", [this] { return kind_ == SimilarityKind::user; });
  fields.number("temperature", temperature_, 1e-9, 1e9, "divisor of the similarity");
  fields.only_of("every similarity but \"average\" and \"boxcar\"",
                 [this] { return kind_ != SimilarityKind::average && kind_ != SimilarityKind::boxcar; });
}

template <class T>
void Similarity<T>::use(SimilarityFunction function, std::string name) {
  kind_ = SimilarityKind::user;
  function_ = std::move(function);
  name_ = std::move(name);
}

template <class T>
void Similarity<T>::build(Index query_width, Index key_width, ParameterSet<T>& parameters) {
  query_width_ = query_width;
  d_ = key_width;
  refuse_two_spaces();
  const auto bound = [](Index width) { return 1 / std::sqrt(static_cast<double>(width)); };
  switch (kind_) {
    case SimilarityKind::gaussian_learned:
      scale_ = &parameters.add("w", {1}, Init::constant(w_), Group::attention);
      break;
    case SimilarityKind::general:
      weight_ = &parameters.add("weight", {query_width_, d_}, Init::uniform(bound(d_)), Group::attention);
      break;
    case SimilarityKind::additive:
      query_weight_ = &parameters.add("query.weight", {hidden_, query_width_}, Init::uniform(bound(query_width_)),
                                      Group::attention);
      key_weight_ = &parameters.add("key.weight", {hidden_, d_}, Init::uniform(bound(d_)), Group::attention);
      out_weight_ = &parameters.add("out.weight", {1, hidden_}, Init::uniform(bound(hidden_)), Group::attention);
      break;
    case SimilarityKind::user: {
      if (function_) break;
      if (text_.empty())
        throw wrong_input("similarity \"user\" of model 'pooling' has no formula",
                          message("give one, as in {}", Message::Entry{"formula", {"-abs(q - k)", {}}}));
      const Formula formula = Formula::parse(text_, {"q", "k", "d2", "dot"});
      if (d_ > 1 && (formula.reads(0) || formula.reads(1)))
        throw wrong_input(fmt::format("the formula '{}' reads q or k, but they have {} dimensions", text_, d_),
                          "use d2 = ‖q-k‖² and dot = q·k");
      name_ = text_;
      function_ = [formula](std::span<const double> q, std::span<const double> k) {
        double d2 = 0, dot = 0;
        for (std::size_t j = 0; j < q.size(); ++j) {
          d2 += (q[j] - k[j]) * (q[j] - k[j]);
          dot += q[j] * k[j];
        }
        const double values[] = {q[0], k[0], d2, dot};
        return formula(values);
      };
      break;
    }
    default:
      break;
  }
}

// A distance, a product or a formula of both is one of one space.
template <class T>
void Similarity<T>::refuse_two_spaces() const {
  const bool any = even() || kind_ == SimilarityKind::general || kind_ == SimilarityKind::additive ||
                   (kind_ == SimilarityKind::user && function_);
  if (any || query_width_ == d_) return;
  throw wrong_input(
      fmt::format("the similarity needs queries and keys of one space, but a query has {} numbers and a key {}",
                  query_width_, d_),
      "set model.similarity to \"general\" or \"additive\", which learn a map between the two");
}

template <class T>
bool Similarity<T>::learns() const {
  return kind_ == SimilarityKind::gaussian_learned || kind_ == SimilarityKind::general ||
         kind_ == SimilarityKind::additive;
}

template <class T>
typename Similarity<T>::Moment Similarity<T>::moment() const {
  if (kind_ == SimilarityKind::gaussian_learned) return Moment::similarity;
  return kind_ == SimilarityKind::general ? Moment::keys : Moment::none;
}

template <class T>
typename Similarity<T>::Trace Similarity<T>::prepare(Compute& compute, Matrix<const T> queries, Matrix<const T> keys,
                                                     int pieces) const {
  Trace trace;
  trace.queries = queries;
  trace.keys = keys;
  trace.pieces = pieces;
  // The gaussian sees differences alone, so both sides may be measured from the keys' mean, which keeps ‖k‖² small.
  const Vector<double> middle = compute.zeros<double>(d_);
  const Index n = keys.size(0);
  if (gaussian(kind_))
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < d_; ++j) middle(j) += static_cast<double>(keys(i, j)) / static_cast<double>(n);
  trace.product = inner(kind_) && (!gaussian(kind_) || expands(compute.products, trace, middle));
  if (trace.product) {
    prepare_inner(compute, middle, trace);
    trace.columns = pack(compute.arena, compute.products, transposed(trace.right));
  } else if (kind_ == SimilarityKind::additive) {
    prepare_additive(compute, trace);
  } else if (kind_ == SimilarityKind::user) {
    trace.pairs = compute.array<double>(pieces, query_width_ + d_);
  } else {
    trace.key_columns = compute.array<T>(d_, keys.size(0));
    for (Index i = 0; i < keys.size(0); ++i)
      for (Index j = 0; j < d_; ++j) trace.key_columns(j, i) = keys(i, j);
  }
  return trace;
}

// What ‖q-k‖² is multiplied by.
template <class T>
double Similarity<T>::gaussian_scale() const {
  const double w = kind_ == SimilarityKind::gaussian_learned ? static_cast<double>(scale_->value[0]) : w_;
  return w * w / temperature_;
}

// Whether w² (q·k - ‖k‖²/2) comes out right to 1e-4, whatever is rounded in numbers as large as these.
template <class T>
bool Similarity<T>::expands(Products products, const Trace& trace, Vector<double> middle) const {
  const auto farthest = [&](Matrix<const T> rows) {
    double most = 0;
    for (Index i = 0; i < rows.size(0); ++i) {
      double squares = 0;
      for (Index j = 0; j < d_; ++j) {
        const double off = static_cast<double>(rows(i, j)) - middle(j);
        squares += off * off;
      }
      most = std::max(most, squares);
    }
    return std::sqrt(most);
  };
  const double key = farthest(trace.keys), query = farthest(trace.queries);
  return gaussian_scale() * key * (key / 2 + query) * rounding_of<T>(products) < 1e-4;
}

template <class T>
void Similarity<T>::prepare_inner(Compute& compute, Vector<double> middle, Trace& trace) const {
  const Index m = trace.queries.size(0), n = trace.keys.size(0);
  if (kind_ == SimilarityKind::general) {
    trace.left = compute.array<T>(m, d_);
    team_matmul(compute, plain(trace.queries), plain(Matrix<const T>(weight_->matrix())), trace.left);
    const T scale = static_cast<T>(1 / temperature_);
    for (T& x : trace.left.flat()) x *= scale;
    trace.right = compute.array<T>(n, d_);
    std::copy_n(trace.keys.data(), n * d_, trace.right.data());
    return;
  }
  const Index columns = kind_ == SimilarityKind::average ? 0 : gaussian(kind_) ? d_ + 1 : d_;
  trace.left = compute.array<T>(m, columns);
  trace.right = compute.array<T>(n, columns);
  if (columns == 0) return;
  const auto scale = static_cast<T>(kind_ == SimilarityKind::dot ? 1 / std::sqrt(static_cast<double>(d_)) / temperature_
                                                                 : gaussian_scale());
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < d_; ++j) trace.left(i, j) = scale * (trace.queries(i, j) - static_cast<T>(middle(j)));
    if (columns > d_) trace.left(i, d_) = scale;
  }
  for (Index i = 0; i < n; ++i) {
    T squares = 0;
    for (Index j = 0; j < d_; ++j) {
      const T x = trace.keys(i, j) - static_cast<T>(middle(j));
      trace.right(i, j) = x;
      squares += x * x;
    }
    if (columns > d_) trace.right(i, d_) = -squares / 2;
  }
}

template <class T>
void Similarity<T>::prepare_additive(Compute& compute, Trace& trace) const {
  trace.left = compute.array<T>(trace.queries.size(0), hidden_);
  trace.right = compute.array<T>(trace.keys.size(0), hidden_);
  team_matmul(compute, plain(trace.queries), transposed(query_weight_->matrix()), trace.left);
  team_matmul(compute, plain(trace.keys), transposed(key_weight_->matrix()), trace.right);
  trace.angles = compute.array<T>(trace.pieces, tile_keys, hidden_);
}

template <class T>
void Similarity<T>::tile(const Trace& trace, int piece, Rows q, Rows k, Matrix<T> s) const {
  assert(k.count() <= tile_keys);
  if (trace.product) {
    assert(k.begin % tile_keys == 0);
    matmul_packed(plain(trace.left.slice(q.begin, q.end)), trace.columns.columns_from(k.begin, k.count()), s);
  } else if (kind_ == SimilarityKind::additive) {
    additive_tile(trace, piece, q, k, s);
  } else if (kind_ == SimilarityKind::user) {
    user_tile(trace, piece, q, k, s);
  } else {
    kernel_tile(trace, q, k, s);
  }
}

// Distances are summed from differences here, not expanded: on the rim of a neighbourhood rounding would show, and so
// it would where keys lie many bandwidths apart.
template <class T>
void Similarity<T>::kernel_tile(const Trace& trace, Rows q, Rows k, Matrix<T> s) const {
  const T inverse = static_cast<T>(gaussian(kind_) ? std::sqrt(gaussian_scale() / 2) : 1 / width_);
  const T cold = static_cast<T>(1 / temperature_);
  for (Index i = q.begin; i < q.end; ++i) {
    T* row = s.data() + (i - q.begin) * k.count();
    std::fill_n(row, k.count(), T{0});
    for (Index j = 0; j < d_; ++j) {
      const T* keys = trace.key_columns.data() + j * trace.keys.size(0) + k.begin;
      const T at = trace.queries(i, j);
      for (Index c = 0; c < k.count(); ++c) {
        const T u = (at - keys[c]) * inverse;
        row[c] += u * u;
      }
    }
    for (Index c = 0; c < k.count(); ++c) {
      if (gaussian(kind_)) {
        row[c] = -row[c];
      } else if (kind_ == SimilarityKind::boxcar) {
        row[c] = row[c] <= 1 ? T{0} : static_cast<T>(-infinity);
      } else {
        row[c] = row[c] < 1 ? math::log1p(-row[c]) * cold : static_cast<T>(-infinity);
      }
    }
  }
}

// angles (k.count, hidden) = tanh(W_q q + W_k k) of one query
template <class T>
void Similarity<T>::additive_angles(const Trace& trace, int piece, Index query, Rows k) const {
  T* angle = trace.angles[piece].data();
  const T* left = trace.left[query].data();
  for (Index c = k.begin; c < k.end; ++c) {
    const T* right = trace.right[c].data();
    for (Index h = 0; h < hidden_; ++h) *angle++ = left[h] + right[h];
  }
  const std::span<T> all(trace.angles[piece].data(), static_cast<std::size_t>(k.count() * hidden_));
  tanh(std::span<const T>(all), all);
}

template <class T>
void Similarity<T>::additive_tile(const Trace& trace, int piece, Rows q, Rows k, Matrix<T> s) const {
  const T cold = static_cast<T>(1 / temperature_);
  const Matrix<T> angles = trace.angles[piece].slice(0, k.count());
  for (Index i = q.begin; i < q.end; ++i) {
    additive_angles(trace, piece, i, k);
    const Matrix<T> row = s.slice(i - q.begin, i - q.begin + 1);
    matmul(plain(out_weight_->matrix()), transposed(angles), row);
    for (T& x : row.flat()) x *= cold;
  }
}

template <class T>
void Similarity<T>::user_tile(const Trace& trace, int piece, Rows q, Rows k, Matrix<T> s) const {
  const std::span<double> query(trace.pairs[piece].data(), static_cast<std::size_t>(query_width_));
  const std::span<double> key(query.data() + query_width_, static_cast<std::size_t>(d_));
  for (Index i = q.begin; i < q.end; ++i) {
    std::copy_n(trace.queries[i].data(), query_width_, query.data());
    for (Index c = k.begin; c < k.end; ++c) {
      std::copy_n(trace.keys[c].data(), d_, key.data());
      const double x = function_(query, key);
      if (std::isnan(x) || x == infinity)
        throw wrong_input(fmt::format("the similarity '{}' is {} for query {} ({}) and key {} ({})", name_,
                                      std::isnan(x) ? "not a number" : "infinite", i, numbers_text<double>(query), c,
                                      numbers_text<double>(key)),
                          "return a number for every pair; -infinity means that a key is not attended to");
      s(i - q.begin, c - k.begin) = static_cast<T>(x / temperature_);
    }
  }
}

template <class T>
void Similarity<T>::backward(Compute& compute, const Trace& trace, Matrix<T> moments) const {
  if (kind_ == SimilarityKind::gaussian_learned) {
    double sum = 0;
    for (const T x : moments.flat()) sum += static_cast<double>(x);
    const auto w = static_cast<double>(scale_->value[0]);
    // ds/dw = 2 s / w; at w = 0 all keys are alike and the slope is 0
    if (w != 0) scale_->gradient[0] += static_cast<T>(2 * sum / w);
  } else {
    const T cold = static_cast<T>(1 / temperature_);
    for (T& x : moments.flat()) x *= cold;
    team_matmul(compute, transposed(trace.queries), plain(moments), weight_->matrix_gradient(), Into::add);
  }
}

template <class T>
typename Similarity<T>::Gathered Similarity<T>::begin_backward(Compute& compute, const Trace& trace) const {
  return {compute.zeros<T>(trace.left.size(0), trace.left.size(1)), compute.array<T>(trace.pieces, hidden_),
          compute.zeros<T>(trace.pieces, trace.keys.size(0), hidden_), compute.zeros<double>(trace.pieces, hidden_)};
}

template <class T>
void Similarity<T>::tile_backward(const Trace& trace, const Gathered& gathered, int piece, Rows q, Rows k,
                                  Matrix<const T> ds) const {
  const T cold = static_cast<T>(1 / temperature_);
  const T* __restrict v = out_weight_->value;
  T* __restrict dv = gathered.d_out[piece].data();  // of one query; queries add up in double
  for (Index i = q.begin; i < q.end; ++i) {
    additive_angles(trace, piece, i, k);
    std::fill_n(dv, hidden_, T{0});
    T* __restrict d_query = gathered.d_left[i].data();
    for (Index c = k.begin; c < k.end; ++c) {
      const T d = cold * ds(i - q.begin, c - k.begin);
      const T* __restrict angle = trace.angles[piece][c - k.begin].data();
      T* __restrict d_key = gathered.d_right[piece][c].data();
      for (Index h = 0; h < hidden_; ++h) {
        dv[h] += d * angle[h];
        const T dz = d * v[h] * (1 - angle[h] * angle[h]);
        d_query[h] += dz;
        d_key[h] += dz;
      }
    }
    for (Index h = 0; h < hidden_; ++h) gathered.d_sums(piece, h) += static_cast<double>(dv[h]);
  }
}

template <class T>
void Similarity<T>::finish_backward(Compute& compute, const Trace& trace, const Gathered& gathered) const {
  const Matrix<T> d_keys = gathered.d_right[0];
  for (Index piece = 1; piece < gathered.d_right.size(0); ++piece)
    add_scaled(T{1}, std::span<const T>(gathered.d_right[piece].flat()), d_keys.flat());
  team_matmul(compute, transposed(gathered.d_left), plain(trace.queries), query_weight_->matrix_gradient(), Into::add);
  team_matmul(compute, transposed(d_keys), plain(trace.keys), key_weight_->matrix_gradient(), Into::add);
  for (Index piece = 0; piece < gathered.d_sums.size(0); ++piece)
    for (Index h = 0; h < hidden_; ++h) out_weight_->gradient[h] += static_cast<T>(gathered.d_sums(piece, h));
}

template class Similarity<float>;
template class Similarity<double>;

}  // namespace fovea
