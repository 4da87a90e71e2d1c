// Intervention `transplant`: { transplant = 12, of = "attention" } (room lab/intervention). The InterventionSet
// (lab/train) calls it once `at` updates are done. It copies a group of parameters, "all", or the parameters under a
// name from the end of run 12, under the name `to` here if it differs.
//
// A spec names a run by its number in the store, or by its hash, which the stored spec has. The copied weights depend
// on that hash alone, and so does the run's own hash.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "fovea/base/error/names.h"
#include "fovea/lab/intervention/groups.h"
#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/intervention/owner.h"

namespace fovea {

namespace {

std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values;
  const auto read = [&](auto number) {
    for (std::size_t i = 0; i < tensor.bytes.size(); i += sizeof number) {
      std::memcpy(&number, &tensor.bytes[i], sizeof number);
      values.push_back(static_cast<double>(number));
    }
  };
  tensor.type == "F64" ? read(0.0) : read(0.0f);  // weights are kept as one of the two
  return values;
}

// The name that a parameter of this model has in the run it is taken from; nothing where it is not concerned.
std::optional<std::string> name_there(const std::string& here, Group group, const std::string& of,
                                      const std::string& to) {
  if (of == "all") return here;
  if (const auto wanted = group_of(of)) return group == *wanted ? std::optional(here) : std::nullopt;
  const auto circuit = [](const std::string& name) { return name.substr(0, name.find('.')); };
  const std::vector<std::string> from = parts_of_circuit(of), into = parts_of_circuit(to);
  for (std::size_t i = 0; i < into.size() && circuit(of) == circuit(to); ++i)
    if (const auto rest = name_under(here, into[i])) return from[i] + *rest;
  const auto rest = name_under(here, to);
  return rest ? std::optional(of + *rest) : std::nullopt;
}

class Transplant final : public Intervention {
 public:
  void settings(Fields& fields) override;
  void rewrite(ValueTable& table) const override;
  void finish(const ValueTable& table) override;
  int rank() const override { return 5; }
  void check_beside(const Intervention& earlier) const override;
  SourceRun* source_run() override { return &source_; }
  bool needs_preparation() const override { return true; }
  // Reads what is taken. Throws wrong_input where the run's weights are not there, or have nothing of that name and
  // shape.
  void prepare(const Preparation& preparation) override;
  void put_in(std::int64_t step, ParameterAccess parameters) override;

 private:
  SourceRun source_;
  std::string of_ = "all";
  std::string to_;  // of_, or the name in this model
  std::int64_t at_ = 0;
  struct Piece {
    std::size_t parameter;  // its number in the set
    std::vector<double> values;
  };
  std::vector<Piece> pieces_;
};

void Transplant::settings(Fields& fields) {
  fields.text("transplant", source_.run, "the run whose weights are taken: its number, or its hash");
  fields.text(
      "of", of_,
      "which parameters: \"attention\", \"body\", \"all\", a circuit such as qk.2, or a name and all names under it");
  fields.text("to", to_, "the name of the parameters here, if it differs");
  fields.integer("at", at_, 0, Fields::no_limit, "number of updates before the transplant");
}

// A run may be a number, as people write it, or text.
void Transplant::rewrite(ValueTable& table) const {
  Value& written = table.at("transplant");
  if (const auto* number = written.as<std::int64_t>()) written.data = std::to_string(*number);
}

void Transplant::finish(const ValueTable& table) {
  when.from = at_;
  if (source_.run.empty() || source_.run.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw wrong_input(message("{} takes from a run, not from {}", name(), table.at("transplant")), Remedy::name_run(),
                      table.at("transplant").location);
  if (of_.empty())
    throw wrong_input(fmt::format("{} does not name the parameters", name()),
                      message("drop {}", Message::Entry{"of", {"", {}}}), location);
  if (to_.empty()) to_ = of_;
  const auto is_group = [](const std::string& word) { return word == "all" || group_of(word); };
  if (to_ != of_ && (is_group(of_) || is_group(to_)))
    throw wrong_input(fmt::format("{} cannot copy '{}' to '{}'", name(), of_, to_),
                      "a group goes to the same group; names of parameters can differ", location);
  source_.of_words =
      of_ == "all" || of_ == "body" || name_under(of_, "embedding") || name_under(of_, "target_embedding");
}

void Transplant::check_beside(const Intervention& earlier) const {
  if (const auto* const other = dynamic_cast<const Transplant*>(&earlier);
      other && other->at_ == at_ && other->to_ == to_)
    throw wrong_input(fmt::format("two transplants to '{}' at step {}", to_, at_), "remove one of the two", location);
}

void Transplant::prepare(const Preparation& preparation) {
  pieces_.clear();
  if (!preparation.weights_of) return;
  const std::optional<TensorFile> file = preparation.weights_of(source_.run);
  if (!file)
    throw wrong_input(fmt::format("the weights of run {} are not in the store", source_.run),
                      "train that run in this store: transplants copy parameters from runs of the same store",
                      location);
  preparation.parameters.visit([&](auto& set) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < set.all().size(); ++i) {
      const auto& here = set.all()[i];
      names.push_back(here.name);
      const std::optional<std::string> there = name_there(here.name, here.group, of_, to_);
      if (!there) continue;
      const Tensor* const found = file->find(*there);
      if (!found) {
        std::vector<std::string> known;
        for (const Tensor& tensor : file->tensors()) known.push_back(tensor.name);
        const bool some = std::ranges::any_of(known, [&](const std::string& name) { return belongs_to(name, of_); });
        throw wrong_input(fmt::format("the source run has no parameters '{}'", some || of_ == "all" ? *there : of_),
                          suggest_name(*there, known), location);
      }
      if (found->shape != here.shape)
        throw wrong_input(fmt::format("'{}' of the source run is {}, and '{}' here is {}", *there,
                                      fmt::join(found->shape, " x "), here.name, fmt::join(here.shape, " x ")),
                          "use a model of the same sizes", location);
      pieces_.push_back({i, values_of(*found)});
    }
    if (pieces_.empty())
      throw wrong_input(fmt::format("this model has no parameters '{}' for a transplant", to_),
                        suggest_name(to_, owners_of(names)), location);
  });
}

void Transplant::put_in(std::int64_t step, ParameterAccess parameters) {
  if (step != at_) return;
  parameters.visit([&]<class T>(ParameterSet<T>& set) {
    for (const Piece& piece : pieces_)
      std::ranges::transform(piece.values, set.all()[piece.parameter].values().begin(),
                             [](double x) { return static_cast<T>(x); });
  });
}

const Register<Intervention> transplant("transplant", "parameters get their values from the end of another run",
                                        [] { return std::make_unique<Transplant>(); });

}  // namespace

}  // namespace fovea
