// Makes the report: one HTML file with everything in it, which needs no network (room view/report). `fovea report`
// and `fovea reproduce` write it through apps/cli/report_file.h. Pure function.
#pragma once

#include <span>
#include <string>

#include "fovea/base/error/wording.h"
#include "fovea/lab/analysis/reproduce.h"
#include "fovea/view/plot/figure_kind.h"

namespace fovea {

struct ReportFacts {
  std::string title = "How attention is learned";
  std::string made;     // when, UTC
  std::string version;  // of the program
  std::string machine;
};

// The findings, then a chapter per system in the order of the tour: what each experiment asks, its figures, what was
// claimed and what came out, and how to run it again, in the words of `wording`. The last chapter has the claims of
// full forms that were not supported. A figure whose settings are wrong is replaced by the message, and the rest is
// shown.
std::string report_html(std::span<const Reproduction> reproductions, const FetchArrays& arrays,
                        const ReportFacts& facts, const Wording& wording = plain_wording());

// Only the findings, what was claimed and what came out of it, for a page that shows the rest by a script.
std::string claims_html(std::span<const Reproduction> reproductions, const Wording& wording = plain_wording());

}  // namespace fovea
