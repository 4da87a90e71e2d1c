// Makes the parts of a run from its spec: task, model, probes, with every check of one part against another (room
// lab/spec). ResolvedRun, the trainer, the evaluator, the benchmark and the Python package call it. Reads the spec
// and the files of its task; writes nothing.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "fovea/data/task.h"
#include "fovea/lab/intervention/capabilities.h"
#include "fovea/lab/record/run_spec.h"
#include "fovea/lab/spec/resolved_run.h"
#include "fovea/lab/spec/train_settings.h"
#include "fovea/model/model.h"
#include "fovea/nn/parameters.h"

namespace fovea {

// The task of a spec, its settings read, prepared for the spec's seed.
std::unique_ptr<Task> make_task(const RunSpec& spec);

// The model of a spec, its parameters declared, laid out and initialised. Refuses a task of a kind it does not take.
template <class T>
std::unique_ptr<Model<T>> make_model(const RunSpec& spec, const TaskShape& shape, ParameterSet<T>& parameters);

// What the rows and columns of its attention stand for; nothing for a model that this program does not have.
std::optional<AttentionMeaning> attention_meaning(const RunSpec& spec);
// The kind of batches of its model, likewise.
std::optional<Kind> kind_of_model(const RunSpec& spec);

TrainSettings read_train(const ValueTable& table);
// Throws wrong_input where train.stop_when is no condition on one run.
void check_settings(const TrainSettings& train, const ValueTable& table);

// Whether an example names a true position. One example of a task that is drawn may name none by chance: then so many
// examples show whether the task does.
bool names_truth(const Batch& batch);
int examples_that_show(const Batch& one);

template <class T>
Capabilities capabilities_of(const Model<T>& model, const ParameterSet<T>& parameters, const Batch& batch,
                             const RunSpec& spec);

// Throws wrong_input where the evaluated split has no examples: this batch is of its first.
void check_evaluated(const Batch& batch, const RunSpec& spec);

void prepare_probes(std::vector<NamedProbe>& probes, const RunSpec& spec, const TaskShape& shape,
                    const Capabilities& capabilities);

// Throws wrong_input for a training that the model can learn nothing from.
template <class T>
void check_training(const Model<T>& model, const RunSpec& spec, const TrainSettings& train);

// Puts all of it together and passes one example through the model; throws wrong_input where something does not fit.
void check_fit(ResolvedRun& run);

// Where the spec was written, as far as it is known.
Location location_in(const ValueTable& table, const std::string& key);

}  // namespace fovea
