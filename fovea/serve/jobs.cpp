#include "fovea/serve/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "fovea/base/error/error.h"
#include "fovea/base/error/names.h"
#include "fovea/lab/analysis/reproduce.h"
#include "fovea/lab/experiment/sweep_plan.h"
#include "fovea/lab/store/store.h"

namespace fovea {

namespace {

constexpr std::size_t most_waiting = 16, most_remembered = 100;
constexpr std::size_t most_runs = 10'000;  // of a job; more are for the program

const char* const how_to_order = R"(post {"experiment": "copy-subset", "seeds": "0..4", "set": ["task.vocab=60"]})";

std::string text_of(const Json& order, const char* name) {
  const auto found = order.find(name);
  if (found == order.end()) return {};
  if (!found->is_string()) throw wrong_input(fmt::format("'{}' of the order is not a text", name), how_to_order);
  return found->get<std::string>();
}

// A setting with one value changes every run, one with several is an axis, as in a sweep.
void take_setting(JobOrder& order, const std::string& words) {
  Axis axis = parse_axis(words);
  if (axis.values.size() == 1) order.overrides.push_back(parse_override(words));
  else order.axes.push_back(std::move(axis));
}

SweepProgress train(const std::filesystem::path& store_file, const JobOrder& order, const SweepOptions& options) {
  Store store(store_file);
  const Experiment experiment = find_experiment(order.experiment);
  if (experiment.stages_of(order.preset).empty())
    return sweep(store, experiment.name, SweepPlan(experiment, order.preset, order.overrides, order.axes), options);
  SweepProgress last;
  SweepOptions watched = options;
  watched.progress = [&](const SweepProgress& progress) {
    last = progress;
    if (options.progress) options.progress(progress);
  };
  sweep_stages(store, experiment, order.preset, order.overrides, order.axes, watched);
  return last;
}

}  // namespace

JobOrder JobOrder::parse(std::string_view text) {
  const Json json = parse_json(text);
  if (!json.is_object()) throw wrong_input("the order is not a JSON object", how_to_order);
  const std::vector<std::string> keys = {"experiment", "form", "seeds", "set"};
  for (const auto& item : json.items())
    if (std::ranges::find(keys, item.key()) == keys.end())
      throw wrong_input(fmt::format("an order has no '{}'", item.key()), suggest_name(item.key(), keys));
  JobOrder order;
  order.experiment = text_of(json, "experiment");
  if (order.experiment.empty()) throw wrong_input("the order names no experiment", how_to_order);
  const std::vector<std::string> known = experiment_names();
  if (std::ranges::find(known, order.experiment) == known.end())
    throw wrong_input(fmt::format("there is no experiment '{}'", order.experiment),
                      suggest_name(order.experiment, known));
  const std::string preset = text_of(json, "form");
  const std::optional<Preset> known_form = preset.empty() ? Preset::full : preset_of(preset);
  if (!known_form) throw wrong_input(fmt::format("the form is '{}'", preset), "it is quick or full");
  order.preset = *known_form;
  if (const auto set = json.find("set"); set != json.end()) {
    if (!set->is_array()) throw wrong_input("'set' of the order is not a list", how_to_order);
    for (const Json& words : *set) {
      if (!words.is_string()) throw wrong_input("'set' of the order has an entry that is not a text", how_to_order);
      take_setting(order, words.get<std::string>());
    }
  }
  if (const std::string seeds = text_of(json, "seeds"); !seeds.empty())
    order.axes.push_back(parse_axis("seed=" + seeds));
  const SweepPlan plan(find_experiment(order.experiment), order.preset, order.overrides, order.axes);
  if (plan.size() > most_runs)
    throw wrong_input(fmt::format("these would be {} runs ({})", plan.size(), plan.shape()),
                      Remedy::sweep_outside(most_runs));
  plan.check();
  return order;
}

Jobs::Jobs(std::filesystem::path store_file)
    : Jobs([file = std::move(store_file)](const JobOrder& order, const SweepOptions& options) {
        return train(file, order, options);
      }) {}

Jobs::Jobs(Train train) : train_(std::move(train)), thread_([this] { work(); }) {}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    for (const auto& job : jobs_) job->stop = true;
  }
  wake_.notify_all();
  thread_.join();
}

Json Jobs::start(JobOrder order) {
  const std::lock_guard lock(mutex_);
  const auto waits = [](const auto& job) { return job->state == State::waiting; };
  if (std::ranges::count_if(jobs_, waits) >= static_cast<std::ptrdiff_t>(most_waiting))
    throw wrong_input(fmt::format("{} trainings are already waiting", most_waiting),
                      "stop a training, or wait until one ends");
  if (jobs_.size() >= most_remembered) {
    const auto over = [](const auto& job) { return job->state != State::waiting && job->state != State::running; };
    if (const auto oldest = std::ranges::find_if(jobs_, over); oldest != jobs_.end()) jobs_.erase(oldest);
  }
  auto job = std::make_shared<Job>();
  job->number = next_++;
  job->order = std::move(order);
  jobs_.push_back(job);
  wake_.notify_all();
  return json_of(*job);
}

bool Jobs::stop(std::int64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(jobs_, [&](const auto& job) { return job->number == number; });
  if (found == jobs_.end()) return false;
  (*found)->stop = true;
  if ((*found)->state == State::waiting) (*found)->state = State::stopped;
  return true;
}

Json Jobs::list() const {
  const std::lock_guard lock(mutex_);
  Json list = Json::array();
  for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) list.push_back(json_of(**job));
  return {{"jobs", list}};
}

Json Jobs::json_of(const Job& job) {
  constexpr const char* names[] = {"waiting", "running", "done", "stopped", "failed"};
  Json training = Json::array();
  for (const SweepProgress::Run& run : job.progress.in_training)
    training.push_back({{"label", run.label}, {"step", run.step}, {"of", run.of}});
  Json json{{"job", job.number},
            {"experiment", job.order.experiment},
            {"form", word_of(job.order.preset)},
            {"state", names[static_cast<int>(job.state)]},
            {"stage", job.progress.stage},
            {"total", job.progress.total},
            {"done", job.progress.done},
            {"found", job.progress.reused},
            {"failed", job.progress.failed},
            {"seconds_left", number_json(job.progress.seconds_left)},
            {"in_training", training}};
  if (!job.error.empty()) json["error"] = job.error;
  return json;
}

void Jobs::work() {
  for (;;) {
    std::shared_ptr<Job> job;
    {
      std::unique_lock lock(mutex_);
      const auto next = [this] {
        return std::ranges::find_if(jobs_, [](const auto& one) { return one->state == State::waiting; });
      };
      wake_.wait(lock, [&] { return ended_ || next() != jobs_.end(); });
      if (ended_) return;
      job = *next();
      job->state = State::running;
    }
    carry_out(*job);
  }
}

void Jobs::carry_out(Job& job) {
  SweepOptions options;
  options.stop = &job.stop;
  options.progress = [&](const SweepProgress& progress) {
    const std::lock_guard lock(mutex_);
    job.progress = progress;
  };
  State state = State::done;
  std::string error;
  SweepProgress reached;
  try {
    reached = train_(job.order, options);
    if (reached.failed + reached.refused > 0) state = State::failed;
    if (reached.refusal) error = reached.refusal->what();
    if (reached.left() + reached.stopped > 0) state = State::stopped;
  } catch (const std::exception& caught) {
    state = State::failed;
    error = caught.what();
  }
  const std::lock_guard lock(mutex_);
  if (reached.total > 0) job.progress = reached;
  job.progress.in_training.clear();
  job.state = state;
  job.error = error;
}

}  // namespace fovea
