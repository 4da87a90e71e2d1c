// Runs as experiments leave them, made up from formulas, for tests of what is drawn from them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "fovea/lab/record/record.h"

namespace fovea::sample {

inline double wobble(std::uint64_t seed, int index) {
  const double t = std::sin(static_cast<double>(seed) * 12.9898 + index * 78.233) * 43758.5453;
  return t - std::floor(t) - 0.5;
}

// Accuracy rises late for 40 of 40 and early for 40 of 60; attention follows ten steps after.
inline RunRecord copy_run(std::uint64_t seed, std::int64_t vocab) {
  RunRecord run;
  run.id = static_cast<std::int64_t>(seed) + 100 * vocab;
  run.experiment = vocab == 40 ? "copy-permutation" : "copy-subset";
  run.spec.seed = seed;
  run.spec.task = {{"name", {std::string("copy"), {}}}, {"vocab", {vocab, {}}}};
  run.spec.model = {{"name", {std::string("seq2seq"), {}}}, {"hidden", {std::int64_t{256}, {}}}};
  run.spec.train = {{"steps", {std::int64_t{200}, {}}}, {"rate", {1e-3, {}}}};
  run.state = RunState::done;
  run.version = "0.1.0";
  run.machine = "two cores";
  run.started = "2026-01-02T03:04:05Z";
  run.seconds = 4.2;
  run.steps = 200;
  const double middle = vocab == 40 ? 110 + 120 * wobble(seed, 1) : 28 + 14 * wobble(seed, 1);
  for (std::int64_t step = 0; step <= 200; step += 10) {
    const double at = static_cast<double>(step);
    const auto rise = [&](double shift) { return 1 / (1 + std::exp(-(at - middle - shift) / 7)); };
    const auto add = [&](const char* name, double value) {
      run.series[name].steps.push_back(step);
      run.series[name].values.push_back(value);
    };
    add("accuracy", rise(0));
    add("attention_points_right", rise(10));
    add("loss", 3.7 * (1 - rise(-8)) + 0.01);
  }
  return run;
}

inline std::vector<RunRecord> copy_runs(int seeds) {
  std::vector<RunRecord> runs;
  for (const std::int64_t vocab : {40, 60})
    for (int seed = 0; seed < seeds; ++seed) runs.push_back(copy_run(static_cast<std::uint64_t>(seed), vocab));
  return runs;
}

// A course of the toy gate by its closed form.
inline RunRecord gate_run(double d0, double p0) {
  RunRecord run = copy_run(0, 40);
  run.series.clear();
  run.experiment = "toy-phase";
  const double r = std::sqrt(2.0);
  for (int i = 0; i <= 60; ++i) {
    const double tau = i * 0.03;
    for (const char* name : {"D", "p"}) run.series[name].steps.push_back(i);
    run.series["D"].values.push_back(d0 * std::cosh(r * tau) + r * p0 * std::sinh(r * tau));
    run.series["p"].values.push_back(p0 * std::cosh(r * tau) + d0 / r * std::sinh(r * tau));
  }
  return run;
}

inline std::vector<RunRecord> gate_runs() {
  std::vector<RunRecord> runs;
  for (const double d : {-2.0, -1.0, -0.3, 0.3, 1.0, 2.0})
    for (const double p : {-1.0, -0.5, 0.5, 1.0}) runs.push_back(gate_run(d, p));
  return runs;
}

inline ArrayRecord attention_array(std::int64_t step, Index length) {
  ArrayRecord array{"attention", step, {1, length, length}, {}};
  for (Index t = 0; t < length; ++t) {
    std::vector<double> row;
    double sum = 0;
    for (Index s = 0; s < length; ++s) {
      row.push_back(std::exp(-std::abs(static_cast<double>(t - s)) * 0.02 * static_cast<double>(step)));
      sum += row.back();
    }
    for (const double x : row) array.values.push_back(static_cast<float>(x / sum));
  }
  return array;
}

inline void add_bags(RunRecord& run) {
  ArrayRecord images{"images", 200, {4, 3, 16, 16}, {}}, weights{"attention", 200, {4, 3}, {}};
  ArrayRecord labels{"labels", 200, {4}, {7, 9, 4, 8}};
  for (Index i = 0; i < 12; ++i) {
    for (Index y = 0; y < 16; ++y)
      for (Index x = 0; x < 16; ++x) {
        const double across = static_cast<double>(x) - 7.5, down = (static_cast<double>(y) - 7.5) * 0.8;
        const double r = std::hypot(across, down) - 4 - 0.3 * static_cast<double>(i % 4);
        images.values.push_back(static_cast<float>(std::exp(-r * r / 2)));
      }
    weights.values.push_back(i % 3 == i / 3 % 3 ? 0.9f : 0.05f);
  }
  weights.values[11] = std::nanf("");  // an absent item
  run.arrays = {images, weights, labels};
}

inline void add_curves(RunRecord& run) {
  ArrayRecord x{"x", 0, {51}, {}}, prediction{"prediction", 0, {51}, {}}, truth{"truth", 0, {51}, {}};
  ArrayRecord train_x{"train_x", 0, {50}, {}}, train_y{"train_y", 0, {50}, {}};
  const auto curve = [](double at) { return 2 * std::sin(at) + std::pow(at, 0.8); };
  for (int i = 0; i <= 50; ++i) {
    const double at = i * 0.1, position = 5 * (wobble(1, i) + 0.5);
    x.values.push_back(static_cast<float>(at));
    truth.values.push_back(static_cast<float>(curve(at)));
    prediction.values.push_back(static_cast<float>(0.8 * curve(at) + 0.3));
    if (i == 50) continue;
    train_x.values.push_back(static_cast<float>(position));
    train_y.values.push_back(static_cast<float>(curve(position) + wobble(2, i)));
  }
  run.arrays = {x, prediction, truth, train_x, train_y};
}

}  // namespace fovea::sample
