// Arena: the memory of one training step (room base). Compute (nn/compute.h) passes it to all layers and models.
// take() moves a pointer; reset() takes all memory back at once.
//
// The arena keeps its blocks and grows by at least its own size. A repeated step therefore asks the system for
// nothing. Memory is 64-byte aligned and not cleared. Not thread-safe: one arena per run, used outside parallel
// parts.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace fovea {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  template <class T>
  std::span<T> take(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return {static_cast<T*>(take_bytes(count * sizeof(T))), count};
  }
  template <class T>
  std::span<T> take_zeros(std::size_t count) {
    const std::span<T> span = take<T>(count);
    for (T& x : span) x = T{};
    return span;
  }

  // What is taken between a mark and its release is given back, for arrays that nothing reads any more.
  struct Mark {
    std::size_t block, offset, in_use;
  };
  Mark mark() const { return {block_, offset_, in_use_}; }
  void release(const Mark& mark);

  void reset() { release({0, 0, 0}); }  // everything taken so far is given back

  std::size_t bytes_in_use() const { return in_use_; }
  std::size_t peak_bytes() const { return peak_; }
  std::size_t blocks_requested() const { return blocks_.size(); }  // a steady step leaves this as it was

 private:
  struct Block {
    std::byte* data;
    std::size_t size;
  };
  void* take_bytes(std::size_t bytes);

  std::vector<Block> blocks_;
  std::size_t capacity_ = 0;  // of all blocks
  std::size_t block_ = 0;     // the one that is taken from
  std::size_t offset_ = 0;    // into it
  std::size_t in_use_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace fovea
