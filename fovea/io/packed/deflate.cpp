#include "fovea/io/packed/deflate.h"

#include <zlib.h>

#include <algorithm>

#include "fovea/base/error/error.h"

namespace fovea {

std::string deflate(std::string_view bytes, int level, DeflateFrame frame) {
  z_stream stream{};
  const int window = frame == DeflateFrame::zlib ? MAX_WBITS : -MAX_WBITS;
  if (::deflateInit2(&stream, level, Z_DEFLATED, window, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    throw failure("there is no memory to pack the output");
  std::string out;
  std::string block(std::size_t{1} << 18, '\0');
  int state = Z_OK;
  for (std::size_t at = 0; state == Z_OK;) {
    if (stream.avail_in == 0 && at < bytes.size()) {
      const std::size_t piece = std::min(bytes.size() - at, std::size_t{1} << 30);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + at));
      stream.avail_in = static_cast<uInt>(piece);
      at += piece;
    }
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    state = ::deflate(&stream, at == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    out.append(block, 0, block.size() - stream.avail_out);
  }
  ::deflateEnd(&stream);
  if (state != Z_STREAM_END) throw failure("the output could not be packed");
  return out;
}

}  // namespace fovea
