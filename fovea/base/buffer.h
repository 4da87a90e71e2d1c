// Buffer: a flat array on 64-byte lines, zeroed once, whose address never changes (room base). nn/parameters.h and
// the optimisers store parameters, gradients and moments in buffers. Matrix products take a thread's scratch memory
// from own_room() here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <utility>

namespace fovea {

template <class T>
class Buffer {
 public:
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::size_t per_line = line_bytes / sizeof(T);

  Buffer() = default;
  explicit Buffer(std::size_t count)
      : data_(
            static_cast<T*>(::operator new(std::max<std::size_t>(count, 1) * sizeof(T), std::align_val_t(line_bytes)))),
        count_(count) {
    std::fill_n(data_, count_, T{0});
  }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Buffer() { ::operator delete(data_, std::align_val_t(line_bytes)); }

  std::span<T> span() const { return {data_, count_}; }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

// Room for `count` numbers in this thread's own memory for one use, whose name is `Use`: as it was left, and the
// thread's until it asks for the same use again. Where it has to grow, the old room is given back first.
template <class T, class Use>
T* own_room(std::size_t count) {
  thread_local Buffer<T> room;
  if (room.span().size() < count) {
    room = Buffer<T>();
    room = Buffer<T>(count);
  }
  return room.span().data();
}

}  // namespace fovea
