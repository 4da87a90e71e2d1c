// The public corpora that `fovea data get` knows: the files of corpora/, built into the program, and such files of
// users (room data/corpus). apps/cli/data_get.cpp calls it. It parses descriptions; get_corpus.h downloads.
#pragma once

#include <string>
#include <vector>

#include "fovea/data/corpus/get_corpus.h"

namespace fovea {

std::vector<PublicCorpus> public_corpora();  // those the program knows, by name

// By name ("imdb", "IMDB"), or from a file (a word with '/' in it, or that ends in .toml). Throws wrong_input with the
// nearest name, or the file's location.
PublicCorpus find_public_corpus(const std::string& name_or_path);

PublicCorpus parse_public_corpus(const std::string& toml, const std::string& name, const std::string& file_name);

}  // namespace fovea
