// The tour as JSON: experiments with their figures and results (room view/report). The server and report files write
// it, and the page shows it (web/src/views/story.tsx): from a report that contains it, from the server, or from a
// file beside it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "fovea/lab/analysis/findings.h"
#include "fovea/lab/analysis/reproduce.h"
#include "fovea/lab/record/json.h"
#include "fovea/view/plot/figure_kind.h"
#include "fovea/view/report/report.h"

namespace fovea {

// One experiment: its name, title, idea and system, its claims, its runs in a few words, every setting with the values
// that occur, and its figures as SVG, each laid out for a desk and for a phone. A figure that cannot be drawn is its
// message.
Json told_json(const Reproduction& reproduction, const FetchArrays& arrays);

// The findings with what came out of them (lab/analysis/findings.h), and the claims of full forms that were not
// supported (lab/analysis/kept_results.h).
Json findings_json(std::span<const FindingResult> findings);
Json not_supported_json();

// {"facts": …, "findings": […], "experiments": […], "not_supported": […]} of all, in the order of the tour.
std::string story_text(std::span<const Reproduction> reproductions, const FetchArrays& arrays,
                       const ReportFacts& facts);

}  // namespace fovea
