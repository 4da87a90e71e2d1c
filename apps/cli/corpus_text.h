// What the program says of a corpus that it has added.
#pragma once

#include "apps/cli/json_output.h"
#include "fovea/data/corpus/corpus.h"

namespace fovea::cli {

Json corpus_json(const Corpus& corpus);
Json added_json(const AddedCorpus& added);
void print_added(const AddedCorpus& added);

}  // namespace fovea::cli
