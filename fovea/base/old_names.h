// The names that have changed, old to new (room base). An old name works through 1.x, and its first use is reported.
//
// The names are in base/old_names.inc. The library (lab/record, lab/query, lab/spec, lab/experiment, lab/store) uses
// those of settings, probes and metrics. The program uses those of commands and options. The Python package uses its
// own. Each front end words the report.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace fovea {

enum class NameKind { command, option, python, setting, probe, metric };

struct OldName {
  NameKind kind;
  std::string_view old, now;
};

std::span<const OldName> old_names();

// The name of today; `name` itself if it has not changed. A metric keeps its suffixes ("_held", "_l1_h2").
std::string name_now(NameKind kind, std::string_view name);
// The first name that a part had. Hashes of specs are made with it, so that a rename changes none.
std::string first_name(NameKind kind, std::string_view name);
// An expression in which each metric has its name by one of these two.
std::string with_names(const std::string& expression, std::string (*name_of)(NameKind, std::string_view));

// name_now(), and the listener hears of an old name when it is first used in this process.
std::string report_old_name(NameKind kind, std::string_view name);
using OldNameListener = std::function<void(const OldName&)>;
void listen_for_old_names(OldNameListener listener);

}  // namespace fovea
