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

void Arena::add_block(std::size_t bytes) {
  blocks_.reserve(blocks_.size() + 1);
  blocks_.push_back({allocate(bytes), bytes});
  ++blocks_requested_;
  offset_ = 0;
}

void* Arena::take_bytes(std::size_t bytes) {
  bytes = round_up(std::max<std::size_t>(bytes, 1), line);
  if (blocks_.empty() || blocks_.back().size - offset_ < bytes)
    add_block(round_up(std::max({bytes, in_use_, std::size_t{1} << 16}), bytes >= huge_page ? huge_page : line));
  std::byte* data = blocks_.back().data + offset_;
  offset_ += bytes;
  in_use_ += bytes;
  peak_ = std::max(peak_, in_use_);
  return data;
}

void Arena::release(const Mark& mark) {
  for (; blocks_.size() > std::max<std::size_t>(mark.blocks, 1); blocks_.pop_back())
    free_bytes(blocks_.back().data, blocks_.back().size);
  offset_ = mark.offset;
  in_use_ = mark.in_use;
}

void Arena::reset() {
  if (!blocks_.empty() && blocks_.back().size < peak_) {
    for (const Block& block : blocks_) free_bytes(block.data, block.size);
    blocks_.clear();
    add_block(round_up(peak_, peak_ >= huge_page ? huge_page : line));
  }
  offset_ = 0;
  in_use_ = 0;
}

}  // namespace fovea
