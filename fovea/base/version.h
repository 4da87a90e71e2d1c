// The version of the library and program, and the revision of its arithmetic (room base). Records, the server, the
// program and the Python package print and store them.
#pragma once

namespace fovea {

const char* version();

// The revision of the arithmetic: it grows with each change of the code that changes last digits of numbers. Runs of
// one spec, seed, instruction set and revision have the same bits. Runs that were kept before revisions were counted
// have revision 0.
constexpr int arithmetic_revision = 1;

}  // namespace fovea
