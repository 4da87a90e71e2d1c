// Transfer: one connection that brings a file, or the rest of one (room io/fetch). download.cpp alone calls it. The
// header hides libcurl from its users.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace fovea {

struct Transfer {
  std::string address;    // http: or https:
  std::int64_t from = 0;  // bytes that are here already
  double timeout = 60;    // seconds without a byte

  std::function<void()> restart;                     // the server sends all of it, although a part was asked for
  std::function<bool(std::string_view bytes)> take;  // false: that is enough
  std::function<bool(std::int64_t of)> go_on;        // asked now and then; false: stop. of: bytes in all, 0: not known
};

struct Transferred {
  enum class End {
    whole,    // the server has sent what it wanted to
    broken,   // another try may bring more
    refused,  // no other try will
  };
  End end = End::whole;
  std::string why, remedy;
  bool bad_address = false;  // the address itself is wrong
  bool other_part = false;   // the server sent another part than was asked for
};

bool can_transfer();
Transferred transfer(const Transfer& wanted);  // throws what `restart` throws

}  // namespace fovea
