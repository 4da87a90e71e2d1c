// A folder that was made beside its place is put there whole.
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
