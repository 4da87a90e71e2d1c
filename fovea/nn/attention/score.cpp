#include "fovea/nn/attention/score.h"

#include <cassert>
#include <cmath>

#include "fovea/math/vector_math.h"
#include "fovea/nn/activation.h"
#include "fovea/nn/team_matmul.h"

namespace fovea {

namespace {

// scores (B,T,S) = scale * q hᵀ, example by example.
template <class T>
void dot_scores(Compute& compute, Sequences<const T> h, Sequences<const T> q, T scale, Cube<T> scores) {
  compute.team.split(h.batch, 1, [&](Index b, Index) {
    const Matrix<T> out = scores[b];
    matmul(compute.products, q.of(b, q.length), h.of_transposed(b, h.length), out);
    for (T& s : out.flat()) s *= scale;
  });
}

// dh += scale * dscoresᵀ q, dq += scale * dscores h.
template <class T>
void dot_scores_backward(Compute& compute, Sequences<const T> h, Sequences<const T> q, T scale, Cube<const T> dscores,
                         Sequences<T> dh, Sequences<T> dq) {
  const Cube<T> scaled = compute.array<T>(h.batch, q.length, h.length);
  compute.team.split(h.batch, 1, [&](Index b, Index) {
    const Matrix<T> d = scaled[b];
    const Matrix<const T> from = dscores[b];
    for (Index i = 0; i < d.count(); ++i) d.data()[i] = scale * from.data()[i];
    if (dh.data)
      matmul(compute.products, transposed(d), q.of(b, q.length), Matrix<T>(dh.row(b, 0), h.length, h.width), Into::add,
             dh.step_stride * h.width);
    if (dq.data)
      matmul(compute.products, plain(d), h.of(b, h.length), Matrix<T>(dq.row(b, 0), q.length, q.width), Into::add,
             dq.step_stride * q.width);
  });
}

}  // namespace

template <class T>
Score<T> Score<T>::declare(ParameterSet<T>& parameters, const std::string& prefix, ScoreKind kind, Index width,
                           Index query, Index hidden, Index positions, Group group) {
  Score score;
  score.kind = kind;
  score.width = width;
  score.query = query;
  score.hidden = hidden;
  switch (kind) {
    case ScoreKind::free:
      score.logits = &parameters.add(under(prefix, "logits"), {positions}, Init::constant(0), group);
      break;
    case ScoreKind::linear:
      score.out = Linear<T>::declare(parameters, prefix, width, 1, group, Bias::no);
      break;
    case ScoreKind::mlp:
      score.inner = Linear<T>::declare(parameters, under(prefix, "hidden"), width, hidden, group);
      score.out = Linear<T>::declare(parameters, under(prefix, "out"), hidden, 1, group, Bias::no);
      break;
    case ScoreKind::dot:
      assert(width == query);
      break;
    case ScoreKind::general:
      score.inner = Linear<T>::declare(parameters, prefix, query, width, group, Bias::no);
      break;
    case ScoreKind::additive:
      score.joint = &parameters.add(under(prefix, "hidden.weight"), {hidden, width + query},
                                    Init::uniform(1.0 / std::sqrt(static_cast<double>(width + query))), group);
      score.out = Linear<T>::declare(parameters, under(prefix, "out"), hidden, 1, group, Bias::no);
      break;
  }
  return score;
}

template <class T>
Cube<T> Score<T>::from_column(Compute& compute, Sequences<const T> h, Matrix<const T> column) const {
  const Cube<T> scores = compute.array<T>(h.batch, 1, h.length);
  for (Index b = 0; b < h.batch; ++b)
    for (Index s = 0; s < h.length; ++s) scores.data()[b * h.length + s] = column.data()[h.row_number(b, s)];
  return scores;
}

template <class T>
Matrix<T> Score<T>::to_column(Compute& compute, Sequences<const T> h, Cube<const T> scores) const {
  const Matrix<T> column = compute.array<T>(h.batch * h.length, 1);
  for (Index b = 0; b < h.batch; ++b)
    for (Index s = 0; s < h.length; ++s) column.data()[h.row_number(b, s)] = scores.data()[b * h.length + s];
  return column;
}

template <class T>
typename Score<T>::Trace Score<T>::forward(Compute& compute, Sequences<const T> h, Sequences<const T> q) const {
  assert(!asks(kind) || (q.batch == h.batch && q.width == query));
  switch (kind) {
    case ScoreKind::free: {
      assert(h.length == logits->count());
      const Cube<T> scores = compute.array<T>(h.batch, 1, h.length);
      for (Index b = 0; b < h.batch; ++b) std::copy_n(logits->value, h.length, scores[b].data());
      return {h, q, {}, scores};
    }
    case ScoreKind::linear:
      return {h, q, {}, from_column(compute, h, out.forward(compute, h.rows()))};
    case ScoreKind::mlp: {
      const Matrix<T> kept = inner.forward(compute, h.rows());
      activate<T>(compute.team, Activation::relu(), kept.flat(), kept.flat());
      return {h, q, kept, from_column(compute, h, out.forward(compute, kept))};
    }
    case ScoreKind::dot: {
      const Cube<T> scores = compute.array<T>(h.batch, q.length, h.length);
      dot_scores(compute, h, q, static_cast<T>(1 / std::sqrt(static_cast<double>(width))), scores);
      return {h, q, {}, scores};
    }
    case ScoreKind::general: {
      const Cube<T> scores = compute.array<T>(h.batch, q.length, h.length);
      const Matrix<T> kept = inner.forward(compute, q.rows());
      dot_scores<T>(compute, h, q.like(kept.data(), width), T{1}, scores);
      return {h, q, kept, scores};
    }
    case ScoreKind::additive:
      break;
  }
  // W [h; q] = W_h h + W_q q: each position and each query is projected once.
  const Operand<T> weights = plain(joint->matrix());
  const Operand<T> for_h = columns_of(weights, 0, width), for_q = columns_of(weights, width, query);
  const Sequences<T> from_h = h.like(compute.array<T>(h.batch * h.length, hidden).data(), hidden);
  const Sequences<T> from_q = q.like(compute.array<T>(q.batch * q.length, hidden).data(), hidden);
  team_matmul(compute, plain(h.rows()), transposed(for_h), from_h.rows());
  team_matmul(compute, plain(q.rows()), transposed(for_q), from_q.rows());
  const Matrix<T> kept = compute.array<T>(h.batch * q.length * h.length, hidden);
  const Cube<T> scores = compute.array<T>(h.batch, q.length, h.length);
  compute.team.split(h.batch, 1, [&](Index b, Index) {
    for (Index t = 0; t < q.length; ++t)
      for (Index s = 0; s < h.length; ++s) {
        const Index n = (b * q.length + t) * h.length + s;
        const std::span<T> row = kept[n].flat();
        const T* const a = from_h.row(b, s);
        const T* const c = from_q.row(b, t);
        for (std::size_t m = 0; m < row.size(); ++m) row[m] = a[m] + c[m];
        tanh(row, row);
        scores.data()[n] = fovea::dot(row, out.weight->values());
      }
  });
  return {h, q, kept, scores};
}

template <class T>
void Score<T>::backward(Compute& compute, const Trace& trace, Cube<const T> dscores, Sequences<T> dh,
                        Sequences<T> dq) const {
  const Sequences<const T> h = trace.h, q = trace.q;
  const Matrix<T> kept = trace.kept;
  switch (kind) {
    case ScoreKind::free:
      if (!compute.trains()) return;
      for (Index b = 0; b < h.batch; ++b) {
        const T* const d = dscores[b].data();
        for (Index s = 0; s < h.length; ++s) logits->gradient[s] += d[s];
      }
      return;
    case ScoreKind::linear: {
      const Matrix<T> column = to_column(compute, h, dscores);
      out.backward_parameters(compute, h.rows(), column);
      if (dh.data) out.backward_input(compute, column, dh.rows());
      return;
    }
    case ScoreKind::mlp: {
      const Matrix<T> dkept = out.backward(compute, kept, to_column(compute, h, dscores));
      activate_backward<T>(compute.team, Activation::relu(), kept.flat(), dkept.flat(), dkept.flat());
      inner.backward_parameters(compute, h.rows(), dkept);
      if (dh.data) inner.backward_input(compute, dkept, dh.rows());
      return;
    }
    case ScoreKind::dot:
      dot_scores_backward(compute, h, q, static_cast<T>(1 / std::sqrt(static_cast<double>(width))), dscores, dh, dq);
      return;
    case ScoreKind::general: {
      const Matrix<T> dprojected = compute.zeros<T>(q.batch * q.length, width);
      dot_scores_backward<T>(compute, h, q.like(kept.data(), width), T{1}, dscores, dh,
                             q.like(dprojected.data(), width));
      inner.backward_parameters(compute, q.rows(), dprojected);
      if (dq.data) inner.backward_input(compute, dprojected, dq.rows());
      return;
    }
    case ScoreKind::additive:
      break;
  }
  out.backward_parameters(compute, kept, dscores.as(dscores.count(), 1));
  const Sequences<T> from_h = h.like(compute.zeros<T>(h.batch * h.length, hidden).data(), hidden);
  const Sequences<T> from_q = q.like(compute.zeros<T>(q.batch * q.length, hidden).data(), hidden);
  const T* const v = out.weight->value;
  compute.team.split(h.batch, 1, [&](Index b, Index) {
    for (Index t = 0; t < q.length; ++t)
      for (Index s = 0; s < h.length; ++s) {
        const Index n = (b * q.length + t) * h.length + s;
        const T d = dscores.data()[n];
        const T* const y = kept[n].data();
        T* const a = from_h.row(b, s);
        T* const c = from_q.row(b, t);
        for (Index m = 0; m < hidden; ++m) {
          const T inside = d * v[m] * (1 - y[m] * y[m]);
          a[m] += inside;
          c[m] += inside;
        }
      }
  });
  const Index stride = width + query;
  if (compute.trains()) {
    T* const dweight = joint->gradient;
    team_matmul(compute, transposed(from_h.rows()), plain(h.rows()), Matrix<T>(dweight, hidden, width), Into::add,
                stride);
    team_matmul(compute, transposed(from_q.rows()), plain(q.rows()), Matrix<T>(dweight + width, hidden, query),
                Into::add, stride);
  }
  const Operand<T> weights = plain(joint->matrix());
  const Operand<T> for_h = columns_of(weights, 0, width), for_q = columns_of(weights, width, query);
  if (dh.data) team_matmul(compute, plain(from_h.rows()), for_h, dh.rows(), Into::add);
  if (dq.data) team_matmul(compute, plain(from_q.rows()), for_q, dq.rows(), Into::add);
}

template struct Score<float>;
template struct Score<double>;

}  // namespace fovea
