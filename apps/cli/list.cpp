// Command `fovea list` (folder apps/cli), which main.cpp makes by name. It prints experiments and registered parts
// (lab/experiment/describe.h). Reads registries only.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>

#include "apps/cli/command.h"
#include "apps/cli/json_output.h"
#include "fovea/lab/experiment/describe.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea::cli {

namespace {

struct Section {
  std::string name;
  std::vector<Description> entries;
};

Section section_named(const std::string& name) {
  if (name == "tasks") return {name, describe_tasks()};
  if (name == "models") return {name, describe_models()};
  if (name == "probes") return {name, describe_probes()};
  if (name == "interventions") return {name, describe_interventions()};
  if (name == "settings") return {name, describe_settings()};
  return {name, describe_experiments()};
}

Json setting_json(const SettingDescription& setting) {
  return {{"name", setting.name},
          {"kind", setting.kind},
          {"help", setting.help},
          {"default", setting.fallback ? value_json(*setting.fallback) : Json(setting.otherwise)}};
}

class List : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("what", what_,
                   "the list: experiments, tasks, models, probes, interventions or settings (default: all lists)");
    app.add_option("name", name_, "print only this entry of the list, and its settings if it has any");
    app.add_flag("--json", json_, "print one JSON document");
    app.footer(  // prose: off hold-of-many-meanings, because the example names the intervention
        "Examples:\n"
        "  fovea list\n"
        "  fovea list tasks\n"
        "  fovea list models seq2seq          its settings, their bounds and defaults\n"
        "  fovea list interventions hold      the settings of one intervention\n"
        "  fovea list settings train          the settings that every training has\n"
        "  fovea list settings train.rate     one of these settings\n"
        "  fovea run toy-uniform --set 'intervene=[{hold=\"uniform\", until=50}]'");
  }

  int run() override {
    std::vector<Section> sections;
    const std::vector<std::string> known{"experiments", "tasks", "models", "probes", "interventions", "settings"};
    if (!what_.empty() && std::find(known.begin(), known.end(), what_) == known.end())
      throw wrong_input(fmt::format("there is no list of '{}'", what_), list_with(what_, known));
    for (const std::string& name : known)
      if (what_.empty() || what_ == name) sections.push_back(section_named(name));
    if (!name_.empty()) keep_only_named(sections.front());
    json_ ? print_as_json(sections) : print_as_text(sections);
    return 0;
  }

 private:
  // Suggests the list that has an entry of this name.
  static Remedy list_with(const std::string& name, const std::vector<std::string>& lists) {
    for (const std::string& list : lists)
      for (const Description& entry : section_named(list).entries)
        if (entry.name == name) return fmt::format("write: fovea list {} {}", list, name);
    return suggest_name(name, lists);
  }

  // At most eight names that begin alike, or the list.
  Remedy names_like(const std::string& list, std::vector<std::string> names) const {
    std::erase_if(names, [this](const std::string& name) { return !name.starts_with(name_); });
    const std::string section = name_.substr(0, name_.find('.'));
    if (list == "settings" && (section == "task" || section == "model"))
      return fmt::format("settings of the {0}s are listed by name, as in: fovea list {0}s {1}", section,
                         section == "task" ? "copy" : "seq2seq");
    if (names.empty()) return fmt::format("see: fovea list {}", list);
    const bool all = names.size() <= 8;
    if (!all) names.resize(8);
    return fmt::format("names that begin so: {}{}", fmt::join(names, ", "), all ? "" : ", …");
  }

  // The one setting that is named, with its section or without: train.steps, steps.
  void keep_only_setting(std::vector<Description>& entries) const {
    for (Description& entry : entries) {
      const auto is_other = [&](const SettingDescription& setting) {
        return name_ != setting.name && name_ != entry.name + '.' + setting.name;
      };
      if (entry.name != name_) std::erase_if(entry.settings, is_other);
    }
    std::erase_if(entries, [](const Description& entry) { return entry.settings.empty(); });
  }

  void keep_only_named(Section& section) const {
    std::vector<std::string> names;
    for (const Description& entry : section.entries) {
      names.push_back(entry.name);
      if (section.name != "settings") continue;
      for (const SettingDescription& setting : entry.settings) names.push_back(entry.name + '.' + setting.name);
    }
    const auto is_other = [this](const Description& entry) { return entry.name != name_; };
    if (section.name == "settings" && std::ranges::all_of(section.entries, is_other))
      keep_only_setting(section.entries);
    else std::erase_if(section.entries, is_other);
    if (section.entries.empty())
      throw wrong_input(fmt::format("there is no '{}' among the {}", name_, section.name),
                        suggest_name(name_, names, names_like(section.name, names)));
  }

  static void print_as_json(const std::vector<Section>& sections) {
    Json json = Json::object();
    for (const Section& section : sections) {
      Json& list = json[section.name] = Json::array();
      for (const Description& entry : section.entries) {
        Json item{{"name", entry.name}, {"summary", entry.summary}};
        if (!entry.settings.empty())
          for (const SettingDescription& setting : entry.settings) item["settings"].push_back(setting_json(setting));
        list.push_back(item);
      }
    }
    print_json(json);
  }

  void print_as_text(const std::vector<Section>& sections) const {
    const Terminal terminal = Terminal::of(STDOUT_FILENO);
    for (const Section& section : sections) {
      if (&section != &sections.front()) fmt::print("\n");
      fmt::print("{}\n", toned(section.name, Tone::strong, terminal));
      TextTable table({{""}, {"", TextTable::Align::left, true}});
      for (const Description& entry : section.entries) table.row({entry.name, entry.summary});
      fmt::print("{}", table.text(terminal));
      if (!name_.empty()) print_settings(section.entries.front(), terminal);
    }
    if (what_.empty()) fmt::print("\nTo list the settings of one entry: fovea list models seq2seq\n");
  }

  static void print_settings(const Description& entry, const Terminal& terminal) {
    if (entry.settings.empty()) return;
    constexpr auto left = TextTable::Align::left;
    TextTable table({{"setting"}, {"default", left, true}, {"takes", left, true}, {"", left, true}});
    for (const SettingDescription& s : entry.settings)
      table.row({s.name, s.fallback ? s.fallback->text() : s.otherwise, s.kind, s.help});
    fmt::print("\n{}", table.text(terminal));
  }

  std::string what_, name_;
  bool json_ = false;
};

const Register<Command> list_command("list", "list experiments, tasks, models, probes, interventions and settings",
                                     [] { return std::make_unique<List>(); });

}  // namespace

}  // namespace fovea::cli
