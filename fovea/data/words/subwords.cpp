#include "fovea/data/words/subwords.h"

#include <fmt/format.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include "fovea/base/error/error.h"

namespace fovea {

namespace {

// The trainer asks for one text after the other.
class SubwordTexts final : public sentencepiece::SentenceIterator {
 public:
  explicit SubwordTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {}
  bool done() const override { return at_ == texts_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return texts_[at_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<std::string> texts_;
  std::size_t at_ = 0;
};

// Out of the trainer's "Vocabulary size is smaller than required_chars. 17 vs 28. …", where it says that.
std::optional<int> least_vocab(const std::string& status) {
  const std::size_t said = status.find("required_chars"), mark = status.find(" vs ", said);
  int least = 0;
  if (said == status.npos || mark == status.npos) return {};
  const auto [end, wrong] = std::from_chars(status.data() + mark + 4, status.data() + status.size(), least);
  return wrong == std::errc() ? std::optional(least) : std::nullopt;
}

}  // namespace

std::string Pieces::learn(const std::function<void(const std::function<void(std::string_view)>&)>& each, int vocab) {
  std::vector<std::string> all;
  each([&all](std::string_view text) { all.emplace_back(text); });
  SubwordTexts texts(std::move(all));
  // A fixed number of threads: the sums of the training are split by it.
  const std::unordered_map<std::string, std::string> settings{
      {"vocab_size", std::to_string(vocab)}, {"model_type", "unigram"}, {"hard_vocab_limit", "false"},
      {"character_coverage", "1.0"},         {"num_threads", "4"},      {"minloglevel", "2"}};
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(settings, &texts, &model);
  if (const auto least = least_vocab(status.ToString()))
    throw wrong_input(fmt::format("{} pieces are too few, because the texts have more letters", vocab),
                      fmt::format("set task.vocab to {} or more", *least));
  if (!status.ok())
    throw wrong_input(fmt::format("no subwords can be learned from these texts ({})", status.ToString()),
                      "use fewer pieces, more text, or words instead of pieces");
  return model;
}

Pieces::Pieces(const std::string& model, const std::filesystem::path& file)
    : processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  if (!processor_->LoadFromSerializedProto(model).ok())
    throw wrong_input("is no SentencePiece model", "check that it is the right file", {file.string()});
  if (start() < 0 || end() < 0)
    throw wrong_input("is a SentencePiece model without a start or an end token",
                      "make it with bos_id and eos_id (SentencePiece's default)", {file.string()});
}
Pieces::~Pieces() = default;
Pieces::Pieces(Pieces&&) noexcept = default;
Pieces& Pieces::operator=(Pieces&&) noexcept = default;

int Pieces::size() const { return processor_->GetPieceSize(); }
int Pieces::start() const { return processor_->bos_id(); }
int Pieces::end() const { return processor_->eos_id(); }
int Pieces::unknown() const { return processor_->unk_id(); }
std::string Pieces::piece(int number) const { return processor_->IdToPiece(number); }

std::vector<int> Pieces::encode(std::string_view text) const {
  std::vector<int> pieces;
  if (!processor_->Encode(text, &pieces).ok()) pieces.clear();
  return pieces;
}

std::string Pieces::decode(const std::vector<int>& pieces) const {
  std::string text;
  if (!processor_->Decode(pieces, &text).ok()) text.clear();
  return text;
}

}  // namespace fovea
