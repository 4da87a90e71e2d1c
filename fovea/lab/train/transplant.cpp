#include "fovea/lab/train/transplant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "fovea/base/error/names.h"
#include "fovea/lab/spec/owner.h"
#include "fovea/lab/train/weight_files.h"

namespace fovea {

namespace {

template <class T>
std::vector<T> values_of(const Tensor& tensor) {
  std::vector<T> values;
  const auto read = [&](auto number) {
    for (std::size_t i = 0; i < tensor.bytes.size(); i += sizeof number) {
      std::memcpy(&number, &tensor.bytes[i], sizeof number);
      values.push_back(static_cast<T>(number));
    }
  };
  tensor.type == "F64" ? read(0.0) : read(0.0f);  // weights are kept as one of the two
  return values;
}

// The name that a parameter of this model has in the run it is taken from; nothing where it is not concerned.
template <class T>
std::optional<std::string> name_there(const Param<T>& here, const Transplant& transplant) {
  if (transplant.of == "all") return here.name;
  if (transplant.of == "attention" || transplant.of == "body") {
    const Group wanted = transplant.of == "attention" ? Group::attention : Group::body;
    return here.group == wanted ? std::optional(here.name) : std::nullopt;
  }
  const auto circuit = [](const std::string& name) { return name.substr(0, name.find('.')); };
  const std::vector<std::string> from = parts_of_circuit(transplant.of), to = parts_of_circuit(transplant.to);
  for (std::size_t i = 0; i < to.size() && circuit(transplant.of) == circuit(transplant.to); ++i)
    if (const auto rest = name_under(here.name, to[i])) return from[i] + *rest;
  const auto rest = name_under(here.name, transplant.to);
  return rest ? std::optional(transplant.of + *rest) : std::nullopt;
}

}  // namespace

template <class T>
Transplants<T>::Transplants(const std::vector<Transplant>& asked, const std::filesystem::path& folder,
                            ParameterSet<T>& parameters) {
  for (const Transplant& transplant : asked) {
    std::optional<TensorFile> file;
    if (!folder.empty()) file = WeightFiles(folder).read(transplant.run);
    if (!file)
      throw wrong_input(fmt::format("the weights of run {} are not here", transplant.run),
                        "transplants take from runs that lie in the same store", transplant.place);
    bool any = false;
    for (const Param<T>& here : parameters.all()) {
      const std::optional<std::string> there = name_there(here, transplant);
      if (!there) continue;
      any = true;
      const Tensor* const found = file->find(*there);
      if (!found) {
        std::vector<std::string> names;
        for (const Tensor& tensor : file->tensors()) names.push_back(tensor.name);
        throw wrong_input(fmt::format("the run that weights are taken from has no '{}'", *there),
                          suggest_name(*there, names), transplant.place);
      }
      if (found->shape != here.shape)
        throw wrong_input(fmt::format("'{}' of the run that weights are taken from is {}, and '{}' here is {}", *there,
                                      fmt::join(found->shape, " x "), here.name, fmt::join(here.shape, " x ")),
                          "weights fit a model of the same sizes", transplant.place);
      pieces_.push_back({transplant.at, here.values(), values_of<T>(*found)});
    }
    if (any) continue;
    std::vector<std::string> names;
    for (const Param<T>& here : parameters.all()) names.push_back(here.name);
    throw wrong_input(fmt::format("this model has no parameters '{}' for a transplant", transplant.to),
                      suggest_name(transplant.to, owners_of(names)), transplant.place);
  }
}

template <class T>
void Transplants<T>::put_in(std::int64_t step) const {
  for (const Piece& piece : pieces_)
    if (piece.at == step) std::ranges::copy(piece.values, piece.to.begin());
}

template class Transplants<float>;
template class Transplants<double>;

}  // namespace fovea
