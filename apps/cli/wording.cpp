#include "apps/cli/wording.h"

#include <fmt/format.h>

namespace fovea::cli {

namespace {

// --set train.keep_weights=always, in quotes where a shell would take it apart.
std::string set(const std::string& name, const std::string& value) {
  const std::string words = name + "=" + value;
  const bool plain = words.find_first_of(" \"'[]{}") == std::string::npos;
  return plain ? "--set " + words : "--set '" + words + "'";
}

class ProgramWording : public Wording {
 public:
  std::string place(const Place& place) const override {
    if (place.kind == Place::Kind::setting) return "--set " + place.file;
    if (place.kind == Place::Kind::argument) return "--" + place.file;
    return place.text();
  }

 private:
  std::string coded(const Remedy& remedy) const override {
    using enum Remedy::Code;
    const auto arg = [&remedy](std::size_t number) { return argument(remedy, number); };
    constexpr const char* without_mpi = "or spread a sweep by --shard K/N, which needs no MPI";
    switch (remedy.code) {
      case sentence:
      case count_:
        break;
      case did_you_mean:
      case choose_from:
        return remedy.text();
      case list_parts:
        return fmt::format("see: fovea list {}", arg(0));
      case name_part:
        return fmt::format("add {} to it; `fovea list {}` shows them", entry("name", {"…", {}}), arg(0));
      case see_runs:
        return "see: fovea runs";
      case see_bin:
        return "see: fovea runs --bin";
      case name_run:
        return "name it by its number (fovea runs lists them)";
      case see_metrics:
        return "see what a run has: fovea show RUN";
      case name_metric:
        return "name one, such as accuracy; 'fovea show' lists a run's metrics";
      case resume_run:
        return fmt::format("go on with it: fovea run --resume {}", arg(0));
      case remove_run:
        return fmt::format("remove it (fovea rm {}), and train it again", arg(0));
      case compare_runs:
        return fmt::format("see how they differ: fovea compare {} {}", arg(0), arg(1));
      case train_others:
        return fmt::format("train the same with other seeds, with {}, or see: fovea reproduce text-classify",
                           set("model.attention", "uniform"));
      case reproduce:
        return fmt::format("fovea reproduce {} --{}", arg(0), arg(1));
      case reproduce_plain:
        return "`fovea report --plain` writes a report without one";
      case set_of_task:
        return "set those of the task, as in " + set(arg(0), arg(1));
      case train_again_with:
        return "train it again with " + set(arg(0), arg(1));
      case drop_setting:
        return fmt::format("drop it (or {}), or choose the part that it belongs to", set(arg(0), arg(1)));
      case drop_weights:
        return fmt::format("correct that, or keep none ({}); --again trains it again",
                           set("train.keep_weights", "never"));
      case say_draws:
        return fmt::format("add --draws {0}, or draws = {0} to the sweep", arg(0));
      case list_seeds:
        return "list them: --seeds 0..19";
      case name_export:
        return fmt::format("name it {}, or use --format", arg(0));
      case name_folder:
        return "for TensorBoard, -o names a folder";
      case upgrade_store:
        return fmt::format("bring it up to date: FOVEA_HOME={} fovea runs", arg(0));
      case share_folder:
        return "give all of them access to one folder ($FOVEA_HOME), or begin anew with --fresh";
      case spread_built:
        return fmt::format("install libopenmpi-dev and build again, {}", without_mpi);
      case spread_loaded:
        return fmt::format("install openmpi-bin, {}", without_mpi);
      case spread_started:
        return fmt::format("with srun, try srun --mpi=pmix; {}", without_mpi);
      case choose_corpus:
        return "`fovea data list` shows the corpora; set task.corpus to one";
      case find_corpus:
        return fmt::format("{} `fovea data add` makes one of your texts, `fovea data get` lists public ones",
                           sentence_of(remedy));
      case find_public_corpus:
        return fmt::format("{} `fovea data get` lists them", sentence_of(remedy));
      case get_as_other:
        return "give this another name (--as), or replace the other (--replace)";
      case add_as_other:
        return "choose another name, or --replace it";
      case give_validation:
        return "give a file of them (--dev), or split off a larger share (--dev-share), or add more data";
      case or_skip:
        return fmt::format("{}, or skip such {} (--skip-bad, of fovea data add and fovea believe)", arg(0), arg(1));
      case say_format:
        return "give the format (--format): tsv, csv, jsonl or lines";
      case name_column:
        return "name the text's column (--text), as its header does or by number, from 1";
      case add_texts:
        return fmt::format("task 'given-texts' takes at most {}; `fovea data add` takes more", arg(0));
      case take_port:
        return "choose another --port; 0 takes any free one";
      case set_token:
        return "give it one by --token";
      case sweep_outside:
        return fmt::format("the page starts up to {}; fovea sweep starts any number", arg(0));
    }
    return {};
  }

  // "did you mean 'x'?" or "known are: a, b;"
  static std::string sentence_of(const Remedy& remedy) {
    const std::string text = suggestion(remedy);
    return text.ends_with('?') ? text : text + ';';
  }
};

}  // namespace

const Wording& program_wording() {
  static const ProgramWording wording;
  return wording;
}

}  // namespace fovea::cli
