#include "fovea/base/arena.h"

#include <algorithm>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace fovea {

namespace {

constexpr std::size_t line = 64;
constexpr std::size_t huge_page = std::size_t{1} << 21;

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

std::byte* allocate(std::size_t bytes) {
  const std::size_t align = bytes >= huge_page ? huge_page : line;
  auto* data = static_cast<std::byte*>(::operator new(bytes, std::align_val_t(align)));
#if defined(__linux__)
  if (bytes >= huge_page) ::madvise(data, bytes, MADV_HUGEPAGE);  // a wish: failing it changes nothing but speed
#endif
  return data;
}

void free_bytes(std::byte* data, std::size_t bytes) {
  ::operator delete(data, std::align_val_t(bytes >= huge_page ? huge_page : line));
}

}  // namespace

Arena::~Arena() {
  for (const Block& block : blocks_) free_bytes(block.data, block.size);
}

void* Arena::take_bytes(std::size_t bytes) {
  bytes = round_up(std::max<std::size_t>(bytes, 1), line);
  for (; block_ < blocks_.size() && blocks_[block_].size - offset_ < bytes; offset_ = 0) ++block_;
  if (block_ == blocks_.size()) {
    const std::size_t least = std::max({bytes, capacity_, std::size_t{1} << 16});
    const std::size_t size = round_up(least, least >= huge_page ? huge_page : line);
    blocks_.reserve(blocks_.size() + 1);
    blocks_.push_back({allocate(size), size});
    capacity_ += size;
  }
  std::byte* data = blocks_[block_].data + offset_;
  offset_ += bytes;
  in_use_ += bytes;
  peak_ = std::max(peak_, in_use_);
  return data;
}

void Arena::release(const Mark& mark) {
  block_ = mark.block;
  offset_ = mark.offset;
  in_use_ = mark.in_use;
}

}  // namespace fovea
