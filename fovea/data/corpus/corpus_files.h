// The files of a corpus folder: names, manifest, digests (room data/corpus). The other files of this room use it.
#pragma once

#include <filesystem>

#include "fovea/data/task.h"
#include "fovea/data/text/text_reader.h"
#include "fovea/io/digest.h"

namespace fovea {

constexpr const char* manifest_name = "corpus.toml";

std::filesystem::path corpora_folder();
void check_corpus_name(const std::string& name);  // throws wrong_input for one that no added corpus can have
std::filesystem::path split_file(const std::filesystem::path& folder, Split split);
TextSource kept_split(const std::filesystem::path& folder, Split split, bool paired);

// An example's part in the digest of its corpus.
void add_to(Digest& digest, Split split, const TextExample& example);

}  // namespace fovea
