// The tables of the store, and the steps that bring an older file to this version (room lab/store). store.cpp and
// store_merge.cpp of this room call it when they open a file.
//
//   words     every name that repeats (metric, setting, experiment, machine, …), once
//   runs      one row a run; of those not in the bin at most one of a hash is done, and at most one is not
//   tags      words that the user gave runs; notes: a text for a run
//   specs     the full spec of runs that differ in their seed alone, as TOML, one line a section
//   settings  the same, flat ("task.vocab"), typed, to be filtered by
//   metrics   the last value of each series, to be filtered by
//   series    steps (int64) and values (double) as little-endian blobs
//   arrays    shape as text ("20 40 40"), values as little-endian IEEE half or float blobs
//   claims    the newest verdict on each claim, by experiment, the file it was read from ('': shipped) and form
#pragma once

#include <cstdint>
#include <span>

#include "fovea/lab/store/sqlite_statement.h"

namespace fovea {

// Step i (from 0) takes a store of version i to version i + 1. A step that was released never changes; a change is a
// new step.
std::span<const char* const> migrations();
std::int64_t schema_version(Connection& connection);

// Brings the store to the version of this program, in one transaction. Throws failure for a store of a later version,
// and for a database that is no store of runs.
void migrate(Connection& connection);
void check_version(Connection& connection);  // the same refusals, without changing anything

}  // namespace fovea
