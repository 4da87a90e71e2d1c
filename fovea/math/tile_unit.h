// The units that multiply tiles of bfloat16, and which of them this process uses (room math). math/bf16x3.cpp chooses
// by tile_choice(); lab/record and lab/sweep report the choice. A unit has four tiles of sums (16 x 16, float32), two
// of rows and two of a panel (16 x 32 bfloat16). Its operations are
//
//   load<S>(from, stride)   clear<S>()   store<S>(to, stride)     sums S; the stride is in floats
//   load_rows<R>(tile)      load_panel<P>(tile)                   tiles as math/bf16x3.h splits matrices into
//   multiply<R, P>()                                              sums 2 R + P += rows R times panel P
//
// AMX multiplies by the processor's TDPBF16PS, and the software unit by the description in the processor's manual.
// The bits are the same, with two exceptions: the payload of a NaN, and products outside float32's range if the
// processor that runs the software has no fused multiply-add. Before AMX is used, one product is made with both units
// and compared.
#pragma once

namespace fovea::bf16x3 {

enum class TileUnit { software, amx };

enum class Why {
  best,           // the unit is the best there is: AMX
  absent,         // the processor has no AMX, or the build none for it
  not_permitted,  // the operating system does not let this process use it
  capped,         // FOVEA_SIMD caps the instruction set
  differs         // its bits are not those of the software unit: a fault of this program, to be reported
};

struct TileChoice {
  TileUnit unit = TileUnit::software;
  Why why = Why::absent;
};

// Asked of the processor and the system once.
const TileChoice& tile_choice();

// Whether numbers are rounded to bfloat16 by the processor's instruction, where AVX-512 is what runs. Asked once.
bool processor_rounds();

}  // namespace fovea::bf16x3
