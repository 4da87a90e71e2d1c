// Downloads a file by HTTP or HTTPS, whole and checked or not at all (room io/fetch). data/corpus/get_corpus.h calls
// it. It retries, resumes, and writes the given file only.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace fovea {

struct Download {
  std::string address;
  std::filesystem::path file;  // where it is to lie
  std::int64_t bytes = 0;      // how many it has; 0: not known, but no more than most_bytes
  std::string sha256;          // of all of it, in small hexadecimal digits
  std::int64_t most_bytes = std::int64_t{4} << 30;
};

struct DownloadManners {
  double timeout = 60;  // seconds without a single byte after which a connection is given up
  double pause = 1;     // seconds before the second try; twice as long before each further one
  int tries = 5;        // in a row that bring nothing new
  std::function<void(std::int64_t have, std::int64_t of)> progress;  // of: 0 while it is not known
  const std::atomic<bool>* stop = nullptr;                           // set: end soon, and keep what has come
};

// False where the program was built without libcurl.
bool can_download();

// What has come lies in FILE.part, and the next call, in whatever process, goes on behind it (where the server can;
// else it begins again). A connection that breaks is taken up again by itself. Once all is there and its checksum is
// right it becomes FILE. Other bytes are thrown away; if some of them were of an earlier start, all are fetched once
// more before anyone is told. Throws wrong_input for an address that is none, failure for what the network, the server
// or the disk refuse, and where another process is fetching the same file.
void download(const Download& wanted, const DownloadManners& manners = {});

}  // namespace fovea
