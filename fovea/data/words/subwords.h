// Pieces: subwords as SentencePiece makes them (room data/words). The tasks `language` and `text-translate`
// (data/tasks/files) split texts with it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace fovea {

class Pieces {
 public:
  // Learns a unigram model of at most `vocab` pieces from texts: `each` calls what it is given for every one. The same
  // texts give the same model. Throws wrong_input where the texts are too few for it.
  static std::string learn(const std::function<void(const std::function<void(std::string_view)>&)>& each, int vocab);

  // From a model's bytes. `file` is where they came from; throws wrong_input for bytes that are no model, or lack a
  // start or an end token.
  Pieces(const std::string& model, const std::filesystem::path& file);
  ~Pieces();
  Pieces(Pieces&&) noexcept;
  Pieces& operator=(Pieces&&) noexcept;

  int size() const;
  int start() const;
  int end() const;
  int unknown() const;
  std::vector<int> encode(std::string_view text) const;
  std::string decode(const std::vector<int>& pieces) const;
  std::string piece(int number) const;  // "▁house": ▁ stands for a blank

 private:
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
};

}  // namespace fovea
