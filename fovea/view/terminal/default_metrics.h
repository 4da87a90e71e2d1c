// Chooses the metrics of runs that are shown if no option names any (room view/terminal). Tables of runs, `fovea
// watch` and the Python package call it. Metrics that the runs' experiments draw and claim come first.
#pragma once

#include <string>
#include <vector>

#include "fovea/view/plot/run_data.h"

namespace fovea {

// The metrics that these runs have. First those that the figures of their experiments show, then those that the claims
// read, then loss and accuracy, then the rest, of which single maps, chances and the audit come last; each run has a
// say. train_loss, which every run has, comes last. What is measured under a hold
// is among them only where it is shown or claimed.
std::vector<std::string> default_metrics(const Runs& runs);

// These metrics of the models as they train: as_trained(metric) if one of the runs has the metric under a hold.
std::vector<std::string> as_trained(std::vector<std::string> metrics, const Runs& runs);

// Settings in which runs of one experiment differ, but for the seed: what tells them apart beside their names.
std::vector<std::string> differing_settings(const Runs& runs);

}  // namespace fovea
