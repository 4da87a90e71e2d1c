#include "bench/peers/onednn_lstm.h"

#include <algorithm>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

extern "C" void omp_set_num_threads(int count);

namespace fovea::peers {

using dnnl::memory;
using Tag = memory::format_tag;

struct OnednnLstm::State {
  int threads;
  memory::dim T, B, I, H;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};

  // Layouts that the primitives choose for themselves; ours are reordered into them, as often as weights change.
  dnnl::lstm_forward::primitive_desc forward_desc;
  dnnl::lstm_backward::primitive_desc backward_desc;
  dnnl::lstm_forward forward;
  dnnl::lstm_backward backward;

  memory x, bias, h, start, d_start, workspace, weight_ih, weight_hh, weight_ih_back, weight_hh_back;
  memory dh, dx, d_weight_ih, d_weight_hh, d_bias, d_weight_ih_ours, d_weight_hh_ours;
  memory user_ih, user_hh;

  static memory::desc described(const memory::dims& dims, Tag tag) { return {dims, memory::data_type::f32, tag}; }
  memory made(const memory::desc& desc) const { return memory(desc, engine); }
  void reorder(memory from, memory to) { dnnl::reorder(from, to).execute(stream, from, to); }
  static std::span<float> floats(const memory& m) {
    return {static_cast<float*>(m.get_data_handle()), m.get_desc().get_size() / sizeof(float)};
  }

  // oneDNN 2 takes the engine behind a description of the operation, oneDNN 3 in front of the description's parts.
  template <class... Parts>
  dnnl::lstm_forward::primitive_desc forward_of(const Parts&... parts) const {
#if DNNL_VERSION_MAJOR < 3
    return {dnnl::lstm_forward::desc(parts...), engine};
#else
    return {engine, parts...};
#endif
  }
  template <class... Parts>
  dnnl::lstm_backward::primitive_desc backward_of(const Parts&... parts) const {
#if DNNL_VERSION_MAJOR < 3
    return {dnnl::lstm_backward::desc(parts...), engine, forward_desc};
#else
    return {engine, parts..., forward_desc};
#endif
  }

  State(int thread_count, memory::dim steps, memory::dim batch, memory::dim in, memory::dim width)
      : threads(thread_count), T(steps), B(batch), I(in), H(width) {
    omp_set_num_threads(threads);
    const memory::desc none;
    const memory::desc x_desc = described({T, B, I}, Tag::tnc), h_desc = described({T, B, H}, Tag::tnc);
    const memory::dims ih{1, 1, I, 4, H}, hh{1, 1, H, 4, H};
    const memory::desc b_desc = described({1, 1, 4, H}, Tag::ldgo);
    const memory::desc any_ih = described(ih, Tag::any), any_hh = described(hh, Tag::any);
    // Zeros, said: where no start is given, oneDNN 2.6 gets the gradient of the recurrent weights wrong.
    const memory::desc s_desc = described({1, 1, B, H}, Tag::ldnc);
    const auto way = dnnl::rnn_direction::unidirectional_left2right;
    forward_desc = forward_of(dnnl::prop_kind::forward_training, way, x_desc, s_desc, s_desc, any_ih, any_hh, b_desc,
                              h_desc, none, none);
    backward_desc = backward_of(dnnl::prop_kind::backward, way, x_desc, s_desc, s_desc, any_ih, any_hh, b_desc, h_desc,
                                none, none, x_desc, s_desc, s_desc, any_ih, any_hh, b_desc, h_desc, none, none);
    forward = dnnl::lstm_forward(forward_desc);
    backward = dnnl::lstm_backward(backward_desc);
    x = made(x_desc);
    bias = made(b_desc);
    h = made(h_desc);
    start = made(s_desc);
    d_start = made(s_desc);
    std::ranges::fill(floats(start), 0.0f);
    workspace = made(forward_desc.workspace_desc());
    weight_ih = made(forward_desc.weights_layer_desc());
    weight_hh = made(forward_desc.weights_iter_desc());
    weight_ih_back = made(backward_desc.weights_layer_desc());
    weight_hh_back = made(backward_desc.weights_iter_desc());
    dh = made(h_desc);
    dx = made(x_desc);
    d_weight_ih = made(backward_desc.diff_weights_layer_desc());
    d_weight_hh = made(backward_desc.diff_weights_iter_desc());
    d_bias = made(b_desc);
    user_ih = made(described(ih, Tag::ldgoi));
    user_hh = made(described(hh, Tag::ldgoi));
    d_weight_ih_ours = made(described(ih, Tag::ldgoi));
    d_weight_hh_ours = made(described(hh, Tag::ldgoi));
  }
};

OnednnLstm::OnednnLstm(int threads, Index steps, Index batch, Index in, Index width)
    : state_(std::make_unique<State>(threads, steps, batch, in, width)) {}
OnednnLstm::~OnednnLstm() = default;

std::span<const float> OnednnLstm::forward(const float* x, const float* weight_ih, const float* weight_hh,
                                           const float* bias) {
  State& s = *state_;
  omp_set_num_threads(s.threads);
  s.x.set_data_handle(const_cast<float*>(x));
  s.bias.set_data_handle(const_cast<float*>(bias));
  s.user_ih.set_data_handle(const_cast<float*>(weight_ih));
  s.user_hh.set_data_handle(const_cast<float*>(weight_hh));
  s.reorder(s.user_ih, s.weight_ih);
  s.reorder(s.user_hh, s.weight_hh);
  s.forward.execute(s.stream, {{DNNL_ARG_SRC_LAYER, s.x},
                               {DNNL_ARG_SRC_ITER, s.start},
                               {DNNL_ARG_SRC_ITER_C, s.start},
                               {DNNL_ARG_WEIGHTS_LAYER, s.weight_ih},
                               {DNNL_ARG_WEIGHTS_ITER, s.weight_hh},
                               {DNNL_ARG_BIAS, s.bias},
                               {DNNL_ARG_DST_LAYER, s.h},
                               {DNNL_ARG_WORKSPACE, s.workspace}});
  s.stream.wait();
  return State::floats(s.h);
}

void OnednnLstm::backward(const float* dh) {
  State& s = *state_;
  s.dh.set_data_handle(const_cast<float*>(dh));
  s.reorder(s.user_ih, s.weight_ih_back);
  s.reorder(s.user_hh, s.weight_hh_back);
  for (const memory& sum : {s.d_weight_ih, s.d_weight_hh, s.d_bias}) std::ranges::fill(State::floats(sum), 0.0f);
  s.backward.execute(s.stream, {{DNNL_ARG_SRC_LAYER, s.x},
                                {DNNL_ARG_SRC_ITER, s.start},
                                {DNNL_ARG_SRC_ITER_C, s.start},
                                {DNNL_ARG_WEIGHTS_LAYER, s.weight_ih_back},
                                {DNNL_ARG_WEIGHTS_ITER, s.weight_hh_back},
                                {DNNL_ARG_BIAS, s.bias},
                                {DNNL_ARG_DST_LAYER, s.h},
                                {DNNL_ARG_WORKSPACE, s.workspace},
                                {DNNL_ARG_DIFF_DST_LAYER, s.dh},
                                {DNNL_ARG_DIFF_SRC_LAYER, s.dx},
                                {DNNL_ARG_DIFF_SRC_ITER, s.d_start},
                                {DNNL_ARG_DIFF_SRC_ITER_C, s.d_start},
                                {DNNL_ARG_DIFF_WEIGHTS_LAYER, s.d_weight_ih},
                                {DNNL_ARG_DIFF_WEIGHTS_ITER, s.d_weight_hh},
                                {DNNL_ARG_DIFF_BIAS, s.d_bias}});
  s.reorder(s.d_weight_ih, s.d_weight_ih_ours);
  s.reorder(s.d_weight_hh, s.d_weight_hh_ours);
  s.stream.wait();
}

std::span<const float> OnednnLstm::d_input() const { return State::floats(state_->dx); }
std::span<const float> OnednnLstm::d_weight_ih() const { return State::floats(state_->d_weight_ih_ours); }
std::span<const float> OnednnLstm::d_weight_hh() const { return State::floats(state_->d_weight_hh_ours); }
std::span<const float> OnednnLstm::d_bias() const { return State::floats(state_->d_bias); }

}  // namespace fovea::peers
