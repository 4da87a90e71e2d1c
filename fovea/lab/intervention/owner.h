// Owners of parameters, by name (room lab/intervention). `freeze`, `transplant` and the InterventionSet (lab/train)
// find parameters by them. "layer.2.query" owns the parameter of that name and all whose names continue it
// (layer.2.query.weight). A circuit of a transformer's layer owns its parts: "qk.2" is layer.2.query and layer.2.key.
// The circuits are qk, ov, v, o and mlp.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fovea {

// The owners that a circuit stands for, in the same order for each layer; none of another name.
std::vector<std::string> parts_of_circuit(const std::string& circuit);

// The part of a name that comes after its owner: "" where they are the same, ".weight" of what stands under it.
std::optional<std::string> name_under(const std::string& name, const std::string& owner);

// Whether a parameter stands under a name or under a part of the circuit of this name.
bool belongs_to(const std::string& parameter, const std::string& owner);

// What owns some of these, for messages: what each stands under at once, or itself, and the circuits that there are.
std::vector<std::string> owners_of(const std::vector<std::string>& parameters);

}  // namespace fovea
