// RankTransport: the functions of a module that carries messages between the processes of one job (room lab/ranks).
// apps/mpi/transport.cpp implements it; ranks.cpp loads it. It is a table of plain functions. Only a program that
// mpirun or srun started loads the module. All others neither wait for MPI to load nor need it installed.
#pragma once

#include <cstddef>

namespace fovea {

// `start` comes first, `finish` last and on the same thread. The others may be called from any, one at a time.
struct RankTransport {
  // Joins the job. Returns nullptr, or what went wrong as text that stays valid.
  const char* (*start)(int* rank, int* size);
  // Copies the bytes and returns at once; false where they are more than a message can hold.
  bool (*send)(int to, int kind, const void* bytes, std::size_t count);
  // The next message that has come, if there is one; its bytes stay until the next call. One sender's messages come in
  // the order in which they were sent.
  bool (*receive)(int* from, int* kind, const void** bytes, std::size_t* count);
  // Everybody's `count` bytes, one rank after the other. Waits for every rank to come.
  void (*gather)(const void* mine, void* all, std::size_t count);
  // Waits for every rank to come; where one does not answer, ends them all, this process with them.
  void (*finish)(bool all_answer);
};

inline constexpr const char* rank_transport_name = "fovea_rank_transport";  // extern "C", () -> const RankTransport*

}  // namespace fovea
