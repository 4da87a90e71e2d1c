#include "fovea/lab/train/transplant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "fovea/base/error/names.h"
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

// The part of a name that comes after `owner`: "" where they are the same, ".weight" for what stands under it.
std::optional<std::string> under(const std::string& name, const std::string& owner) {
  if (!name.starts_with(owner)) return std::nullopt;
  const std::string rest = name.substr(owner.size());
  if (!rest.empty() && rest.front() != '.') return std::nullopt;
  return rest;
}

// The owners that a circuit of a layer stands for: "qk.2" is layer.2.query and layer.2.key. None of another name.
std::vector<std::string> owners_of(const std::string& circuit) {
  static const std::map<std::string, std::vector<std::string>> parts{
      {"qk", {"query", "key"}}, {"ov", {"value", "output"}}, {"mlp", {"mlp"}}};
  const std::size_t dot = circuit.find('.');
  const auto found = parts.find(circuit.substr(0, dot));
  if (dot == std::string::npos || found == parts.end()) return {};
  std::vector<std::string> owners;
  for (const std::string& part : found->second) owners.push_back("layer" + circuit.substr(dot) + "." + part);
  return owners;
}

// The name that a parameter of this model has in the run it is taken from; nothing where it is not concerned.
template <class T>
std::optional<std::string> name_there(const Param<T>& here, const Transplant& transplant) {
  if (transplant.of == "all") return here.name;
  if (transplant.of == "attention" || transplant.of == "body") {
    const Group wanted = transplant.of == "attention" ? Group::attention : Group::body;
    return here.group == wanted ? std::optional(here.name) : std::nullopt;
  }
  const std::vector<std::string> from = owners_of(transplant.of), to = owners_of(transplant.to);
  for (std::size_t i = 0; i < to.size() && transplant.of.substr(0, 2) == transplant.to.substr(0, 2); ++i)
    if (const auto rest = under(here.name, to[i])) return from[i] + *rest;
  const auto rest = under(here.name, transplant.to);
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
                      suggest_name(transplant.to, names), transplant.place);
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
