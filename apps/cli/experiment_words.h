// The arguments that several commands share: the experiment, its form and the changed settings (folder apps/cli).
// `fovea run`, `sweep`, `reproduce`, `predict` and others have them. They find the experiment, a shipped one or a
// file, and may print to stderr. They change no file and no run.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fovea/lab/analysis/reproduce.h"
#include "fovea/lab/experiment/experiment.h"

namespace fovea::cli {

struct ExperimentWords {
  std::vector<std::string> set;
  std::vector<std::int64_t> checkpoints;  // steps whose weights are kept; empty: as the spec has it
  std::string engine, device;             // of updates; empty: as the spec has it
  std::optional<std::int64_t> threads;    // of a run
  bool quick = false;
  bool full = false;
  bool json = false;
  bool quiet = false;
  int jobs = 0;
  bool retrain = false;
  bool retry_failed = false;
  bool ignore_checkpoint = false;
  double checkpoint = CheckpointPlan().every;

  void add_settings(CLI::App& app,
                    const std::string& more = "");  // --set; `more`: what else it takes here
  void add_form(CLI::App& app, Preset otherwise);   // --quick, --full
  void add_output(CLI::App& app);                   // --json, --quiet
  void add_training(CLI::App& app);                 // --engine, --device, --checkpoints, …
  void add_sweep(CLI::App& app);                    // those, --jobs, --retrain, --retry-failed

  Preset preset() const;
  // Settings given once, and those given as several values ("task.vocab=40,60"), which make axes.
  std::vector<Override> overrides() const;
  std::vector<Axis> axes() const;
  // The experiment of this name, with the axes that --set sweep.KEY=… gives it.
  Experiment find(const std::string& name);
  // Prints to stderr which settings of found experiments are left out, because --set names a model that lacks them.
  void report_left_out() const;
  // Prints to stderr that these first values of experiment `name`, a sweep, are taken, and then `more`. Prints nothing
  // if there are none.
  void report_first_values(const std::string& name, const std::vector<Override>& first, const std::string& more) const;
  // Throws wrong_input where --set names other seeds than `option` ("--seed 5") does.
  void refuse_other_seeds(const std::string& option, const std::vector<Value>& seeds) const;

 private:
  void refuse_contradictions() const;  // one setting with two values

  Preset otherwise_ = Preset::full;
  std::vector<std::string> left_out_;  // what report_left_out() prints
  bool found_ = false;  // an experiment took what is of its sweep; else those are settings that there are not
};

}  // namespace fovea::cli
