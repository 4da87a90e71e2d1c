// Prints corpora, as text and as JSON (folder apps/cli). `fovea data` (data.cpp, data_get.cpp) calls it. Writes to
// stdout only.
#pragma once

#include "apps/cli/json_output.h"
#include "fovea/data/corpus/corpus.h"
#include "fovea/data/corpus/trace_corpus.h"

namespace fovea::cli {

Json corpus_json(const Corpus& corpus);
Json added_json(const AddedCorpus& added);
void print_added(const AddedCorpus& added);

// The experiment that a corpus of this kind is given to by task.corpus.
const char* experiment_of(const Corpus& corpus);

// Of a trace of memory accesses.
Json trace_json(const Corpus& corpus, const TraceSummary& summary);
void print_trace(const Corpus& corpus, const TraceSummary& summary);

}  // namespace fovea::cli
