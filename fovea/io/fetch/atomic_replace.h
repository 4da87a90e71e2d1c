// Moves a finished draft folder to its final location, in one step (room io/fetch). The makers of corpora
// (data/corpus/get_corpus.cpp and data/corpus/unfinished_corpus.cpp) call it. It renames folders and removes the
// replaced one.
#pragma once

#include <filesystem>

namespace fovea {

// At once: there is no moment in which neither what was there before nor `draft` stands at `place`. What is replaced
// goes. False, and nothing is done, where something is there and is not to be replaced.
[[nodiscard]] bool atomic_replace(const std::filesystem::path& draft, const std::filesystem::path& place, bool replace);

// The same on file systems that cannot exchange two names, as many shared ones: what is replaced is set aside first,
// and for a moment nothing stands at `place`.
[[nodiscard]] bool replace_by_moving(const std::filesystem::path& draft, const std::filesystem::path& place,
                                     bool replace);

}  // namespace fovea
