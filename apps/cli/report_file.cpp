#include "apps/cli/report_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "apps/cli/notice.h"
#include "apps/cli/output_file.h"
#include "apps/cli/wording.h"
#include "fovea/base/file.h"
#include "fovea/base/version.h"
#include "fovea/lab/record/machine.h"
#include "fovea/view/plot/plot.h"
#include "fovea/view/report/page.h"
#include "fovea/view/report/report.h"
#include "fovea/view/report/story.h"

namespace fovea::cli {

std::vector<Reproduction> reproduced_before(const Store& store) {
  std::vector<Reproduction> found;
  const auto add = [&](const std::string& name) {
    if (std::optional<Reproduction> reproduction = fovea::reproduced_before(store, find_experiment(name)))
      found.push_back(std::move(*reproduction));
  };
  for (const std::string& name : experiment_names()) add(name);
  for (const std::string& file : reproduced_files(store)) try {
      add(file);
    } catch (const Error& error) {
      const std::string whose = error.location().known() ? "" : fit_for_message(file) + ": ";
      notice("left out of the report: {}{}", whose, error.what());
    }
  return found;
}

void check_report_name(const std::string& file, const std::string& ending) {
  const std::string given = std::filesystem::path(file).extension();
  if (!given.empty() && given != ending)
    throw wrong_input(ending == ".json" ? fmt::format("with --data the name of the file must end with {}", ending)
                                        : fmt::format("the name of the report must end with {}", ending),
                      fmt::format("name it {}", std::filesystem::path(file).replace_extension(ending).string()),
                      {file});
  check_output_file(file);
}

void check_own_report(const std::string& file) {
  if (!std::filesystem::exists(file)) return;
  std::string head(2000, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (head.find("fovea-source") == std::string::npos)
    throw wrong_input(fmt::format("'{}' exists, and is not a report of experiments", file),
                      "name another file with -o FILE.html, or move that file away");
}

void write_report(const Store& store, std::span<const Reproduction> reproductions, const std::string& file,
                  ReportForm form) {
  ReportFacts facts;
  facts.made = utc_now();
  facts.version = version();
  facts.machine = machine_line();
  const FetchArrays arrays = store.fetch_arrays();
  if (form == ReportForm::plain || (form == ReportForm::page && shipped_page().empty()))
    return write_whole(file, report_html(reproductions, arrays, facts, program_wording()));
  const std::string story = story_text(reproductions, arrays, facts);
  if (form == ReportForm::data) return write_whole(file, story);
  write_whole(file, page_with_story(story, claims_html(reproductions, program_wording())));
}

void check_figures(const Experiment& experiment) {
  for (const FigureSpec& spec : experiment.figures) make_figure(spec, {}, {});
}

}  // namespace fovea::cli
