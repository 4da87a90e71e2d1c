// Messages between ranks over MPI: the RankTransport of the program (folder apps/mpi). fovea/lab/ranks/ranks.cpp
// loads this module if mpirun or srun started the program.
//
// Only `gather` and `finish` wait for another rank, so a rank that hangs delays no other. Messages are sent and
// received piece by piece while others are under way.
#include <mpi.h>

#include <climits>
#include <deque>
#include <set>
#include <vector>

#include "fovea/lab/ranks/rank_transport.h"

namespace {

struct Passage {
  int other = 0, kind = 0;
  std::vector<char> bytes;
  MPI_Request request = MPI_REQUEST_NULL;

  bool over() {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
};

std::deque<Passage> outgoing, incoming;
std::vector<char> delivered;

const char* start(int* rank, int* size) {
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return "MPI did not start";
  if (provided < MPI_THREAD_SERIALIZED) return "this MPI cannot be used by a program with threads";
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  return nullptr;
}

bool send(int to, int kind, const void* bytes, std::size_t count) {
  if (count > INT_MAX) return false;
  while (!outgoing.empty() && outgoing.front().over()) outgoing.pop_front();
  const char* const first = static_cast<const char*>(bytes);
  Passage& passage = outgoing.emplace_back();
  passage.bytes.assign(first, first + count);
  MPI_Isend(passage.bytes.data(), static_cast<int>(count), MPI_BYTE, to, kind, MPI_COMM_WORLD, &passage.request);
  return true;
}

// Lets in whatever has been sent here.
void let_in() {
  for (;;) {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, &status);
    if (there == 0) return;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    Passage& passage = incoming.emplace_back();
    passage.other = status.MPI_SOURCE;
    passage.kind = status.MPI_TAG;
    passage.bytes.resize(static_cast<std::size_t>(count));
    MPI_Imrecv(passage.bytes.data(), count, MPI_BYTE, &message, &passage.request);
  }
}

// One sender's messages keep their order, also where a short one is here before a long one that was sent first.
bool receive(int* from, int* kind, const void** bytes, std::size_t* count) {
  let_in();
  std::set<int> still_sending;
  for (auto passage = incoming.begin(); passage != incoming.end(); ++passage) {
    if (still_sending.count(passage->other) > 0) continue;
    if (!passage->over()) {
      still_sending.insert(passage->other);
      continue;
    }
    *from = passage->other;
    *kind = passage->kind;
    delivered = std::move(passage->bytes);
    *bytes = delivered.data();
    *count = delivered.size();
    incoming.erase(passage);
    return true;
  }
  return false;
}

void gather(const void* mine, void* all, std::size_t count) {
  MPI_Datatype whole = MPI_DATATYPE_NULL;  // a rank's bytes as one element, however many they are
  const std::size_t word = count % 8 == 0 ? 8 : 1;
  MPI_Type_contiguous(static_cast<int>(count / word), word == 8 ? MPI_UINT64_T : MPI_BYTE, &whole);
  MPI_Type_commit(&whole);
  MPI_Allgather(mine, 1, whole, all, 1, whole, MPI_COMM_WORLD);
  MPI_Type_free(&whole);
}

void finish(bool all_answer) {
  if (!all_answer) MPI_Abort(MPI_COMM_WORLD, 1);
  for (Passage& passage : outgoing) MPI_Wait(&passage.request, MPI_STATUS_IGNORE);
  MPI_Finalize();
}

constexpr fovea::RankTransport transport{start, send, receive, gather, finish};

}  // namespace

extern "C" const fovea::RankTransport* fovea_rank_transport() { return &transport; }
