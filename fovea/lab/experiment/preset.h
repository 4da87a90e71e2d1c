// The two forms of an experiment: quick, to see what it is about, and full, to publish.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fovea {

enum class Form { quick, full };

std::string word_of(Form form);  // as people write it, and the store keeps it
std::optional<Form> form_of(std::string_view word);

}  // namespace fovea
