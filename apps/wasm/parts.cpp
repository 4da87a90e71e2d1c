// Question `parts` of the page's engine: tasks and models with their settings, and the settings of training (folder
// apps/wasm). engine.cpp calls it by name.
#include <vector>

#include "apps/wasm/question.h"
#include "fovea/base/version.h"
#include "fovea/lab/experiment/describe.h"

namespace fovea::page {

namespace {

Json parts_json(const std::vector<Description>& parts) {
  Json all = Json::object();
  for (const Description& part : parts) {
    Json settings = Json::array();
    for (const SettingDescription& setting : part.settings)
      settings.push_back({{"name", setting.name}, {"kind", setting.kind}, {"help", setting.help}});
    all[part.name] = {{"summary", part.summary}, {"settings", settings}};
  }
  return all;
}

const Question parts("parts", [](const Json&) -> Json {
  return {{"version", version()},
          {"tasks", parts_json(describe_tasks())},
          {"models", parts_json(describe_models())},
          {"settings", parts_json(describe_settings())}};
});

}  // namespace

}  // namespace fovea::page
