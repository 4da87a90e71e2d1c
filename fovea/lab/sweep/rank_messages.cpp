#include "fovea/lab/sweep/rank_messages.h"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "fovea/io/toml_reader.h"
#include "fovea/lab/sweep/record_message.h"

namespace fovea {

namespace {

using MessageJson = nlohmann::json;

std::string packed(const MessageJson& json) {
  std::string bytes;
  MessageJson::to_cbor(json, nlohmann::detail::output_adapter<char>(bytes));
  return bytes;
}

// What `read` makes of the bytes.
auto unpacked(const std::string& bytes, auto read) try {
  return read(MessageJson::from_cbor(bytes));
} catch (const MessageJson::exception& error) {
  throw failure(std::string("the ranks cannot read each other's messages: ") + error.what(),
                "start the same version of the program on all ranks");
}

MessageJson record_json(const RunRecord& record) {
  const std::string bytes = to_message(record);
  return MessageJson::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}
RunRecord record_of(const MessageJson& json) {
  const auto& bytes = json.get_binary();
  return record_from_message(std::string(bytes.begin(), bytes.end()));
}

// On every host that shares a file system a folder has one number; folders that only have the same name have not.
std::uint64_t number_of(const std::filesystem::path& folder) {
  struct stat there {};
  return ::stat(folder.c_str(), &there) == 0 ? there.st_ino : 0;
}

// A message goes to another rank as data, and so does what it leaves to say.
MessageJson value_to_json(const Value& value) { return value.text(); }
Value value_from_json(const MessageJson& json) {
  return parse_table("x = " + json.get<std::string>(), "a value").at("x");
}

struct PieceToJson {
  MessageJson operator()(const std::string& text) const { return text; }
  MessageJson operator()(ValueKind kind) const { return {{"kind", static_cast<int>(kind)}}; }
  MessageJson operator()(const Value& value) const { return {{"value", value_to_json(value)}}; }
  MessageJson operator()(const Message::Entry& entry) const {
    return {{"entry", entry.key}, {"value", value_to_json(entry.value)}};
  }
  MessageJson operator()(const Message::Tables& tables) const { return {{"tables", tables.key}}; }
};

MessageJson message_to_json(const Message& message) {
  MessageJson json = MessageJson::array();
  for (const Message::Piece& piece : message.pieces()) json.push_back(std::visit(PieceToJson(), piece));
  return json;
}

Message message_from_json(const MessageJson& json) {
  Message message;
  for (const MessageJson& piece : json) {
    if (piece.is_string()) message.append(Message(piece.get<std::string>()));
    else if (piece.contains("kind")) message.append(Message(static_cast<ValueKind>(piece.at("kind").get<int>())));
    else if (piece.contains("tables")) message.append(Message(Message::Tables{piece.at("tables")}));
    else if (piece.contains("entry"))
      message.append(Message(Message::Entry{piece.at("entry"), value_from_json(piece.at("value"))}));
    else message.append(Message(value_from_json(piece.at("value"))));
  }
  return message;
}

struct UpdateToJson {
  MessageJson operator()(const Ended& ended) const { return {{"is", "ended"}, {"record", record_json(ended.record)}}; }
  MessageJson operator()(const Refused& refused) const {
    const Error& error = refused.error;
    return {{"is", "refused"},
            {"wrong", error.kind() == Error::Kind::wrong_input},
            {"problem", message_to_json(error.problem())},
            {"remedy", static_cast<int>(error.remedy().code)},
            {"arguments", value_to_json({error.remedy().arguments, {}})},
            {"sentence", message_to_json(error.remedy().sentence)},
            {"place",
             {error.location().file, error.location().line, error.location().column,
              static_cast<int>(error.location().kind)}}};
  }
  MessageJson operator()(const NotBegun&) const { return {{"is", "not begun"}}; }
  MessageJson operator()(const Saved& saved) const { return {{"is", "saved"}, {"record", record_json(saved.record)}}; }
  MessageJson operator()(const Resumed& resumed) const {
    const Resumption& from = resumed.from;
    return {{"is", "resumed"},
            {"step", from.step},
            {"of", from.of},
            {"seconds_ago", from.seconds_ago},
            {"interrupted", from.interrupted}};
  }
  MessageJson operator()(const Trouble& trouble) const { return {{"is", "trouble"}, {"text", trouble.text}}; }
};

Error error_of(const MessageJson& json) {
  const MessageJson& location = json.at("place");
  Remedy remedy(message_from_json(json.at("sentence")));
  remedy.code = static_cast<Remedy::Code>(json.at("remedy").get<int>());
  remedy.arguments = *value_from_json(json.at("arguments")).as<ValueList>();
  return {json.at("wrong").get<bool>() ? Error::Kind::wrong_input : Error::Kind::failure,
          message_from_json(json.at("problem")),
          std::move(remedy),
          {location.at(0), location.at(1), location.at(2), static_cast<Location::Kind>(location.at(3).get<int>())}};
}

}  // namespace

std::string to_message(const RankOrder& order) {
  return packed({{"ticket", order.ticket},
                 {"spec", order.spec.text()},
                 {"jobs", order.jobs},
                 {"folder", order.checkpoints.folder.string()},
                 {"folder_number", number_of(order.checkpoints.folder)},
                 {"every", order.checkpoints.every},
                 {"forget", order.checkpoints.forget},
                 {"weights", order.checkpoints.weights.string()}});
}

RankOrder order_from_message(const std::string& bytes) {
  return unpacked(bytes, [](const MessageJson& json) {
    RankOrder order;
    order.ticket = json.at("ticket");
    order.spec = run_spec_from_table(parse_table(json.at("spec").get<std::string>(), "a run from the first rank"));
    order.jobs = json.at("jobs");
    order.checkpoints = {json.at("folder").get<std::string>(), json.at("every"), json.at("forget"),
                         json.at("weights").get<std::string>()};
    if (number_of(order.checkpoints.folder) != json.at("folder_number").get<std::uint64_t>())
      order.checkpoints.folder.clear();
    return order;
  });
}

std::string to_message(const RunUpdate& update) {
  MessageJson json = std::visit(UpdateToJson(), update.what);
  json["ticket"] = update.number;
  return packed(json);
}

RunUpdate update_from_message(const std::string& bytes) {
  return unpacked(bytes, [](const MessageJson& json) {
    RunUpdate update{json.at("ticket").get<std::uint64_t>(), NotBegun()};
    const std::string is = json.at("is");
    if (is == "ended") update.what = Ended{record_of(json.at("record"))};
    else if (is == "refused") update.what = Refused{error_of(json)};
    else if (is == "saved") update.what = Saved{record_of(json.at("record"))};
    else if (is == "resumed")
      update.what = Resumed{{json.at("step"), json.at("of"), json.at("seconds_ago"), json.at("interrupted")}};
    else if (is == "trouble") update.what = Trouble{json.at("text").get<std::string>()};
    return update;
  });
}

std::string to_message(const std::vector<InTraining>& runs) {
  MessageJson json = MessageJson::array();
  for (const InTraining& run : runs) json.push_back({run.number, run.step, run.of});
  return packed(json);
}

std::vector<InTraining> beat_from_message(const std::string& bytes) {
  return unpacked(bytes, [](const MessageJson& json) {
    std::vector<InTraining> runs;
    for (const MessageJson& run : json) runs.push_back({run.at(0), run.at(1), run.at(2)});
    return runs;
  });
}

}  // namespace fovea
