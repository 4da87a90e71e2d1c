#include "fovea/lab/experiment/preset.h"

namespace fovea {

std::string word_of(Form form) { return form == Form::quick ? "quick" : "full"; }

std::optional<Form> form_of(std::string_view word) {
  for (const Form form : {Form::quick, Form::full})
    if (word == word_of(form)) return form;
  return std::nullopt;
}

}  // namespace fovea
