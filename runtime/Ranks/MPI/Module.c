// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module of an MPI library: messages between two ranks, and nothing else of
// MPI. It adds no numbers: the order in which a library adds is its own.
#include "Module.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

// MPI counts bytes with an int.
#define LARGEST_PIECE ((uint64_t)1 << 30)

#define NOTES 1024
#define LONGEST_NOTE 64

enum { kNote = 1 };

static MPI_Comm data_, notes_;
static uint32_t size_;
/// The requests under way, each with the rank at its other end.
static MPI_Request *requests_;
static uint32_t *peers_;
static int numRequests_, capacity_;

static int openLibrary(uint32_t *rank, uint32_t *size, int *hasThreads) {
  int given = 0, mine = 0, all = 0;
  int error = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
  if (error)
    return error;
  *hasThreads = given >= MPI_THREAD_SERIALIZED;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if ((error = MPI_Comm_rank(MPI_COMM_WORLD, &mine)) ||
      (error = MPI_Comm_size(MPI_COMM_WORLD, &all)) ||
      (error = MPI_Comm_dup(MPI_COMM_WORLD, &data_)) ||
      (error = MPI_Comm_dup(MPI_COMM_WORLD, &notes_)))
    return error;
  *rank = (uint32_t)mine;
  *size = size_ = (uint32_t)all;
  return 0;
}

static void closeLibrary(void) {
  MPI_Comm_free(&data_);
  MPI_Comm_free(&notes_);
  MPI_Finalize();
  free(requests_);
  free(peers_);
  requests_ = NULL;
  peers_ = NULL;
  numRequests_ = capacity_ = 0;
}

static void describe(int error, char *text, size_t bytes) {
  char whole[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(error, whole, &length);
  strncpy(text, whole, bytes - 1);
  text[bytes - 1] = 0;
}

static int reserve(int count) {
  if (count <= capacity_)
    return 0;
  MPI_Request *requests = realloc(requests_, count * sizeof(MPI_Request));
  if (!requests)
    return MPI_ERR_NO_MEM;
  requests_ = requests;
  uint32_t *peers = realloc(peers_, count * sizeof(uint32_t));
  if (!peers)
    return MPI_ERR_NO_MEM;
  peers_ = peers;
  capacity_ = count;
  return 0;
}

/// Messages of another size never meet: the libraries write what is too long
/// beyond the memory for it. Any library has tags up to 32767.
static int tagOf(uint64_t bytes) {
  return (int)((bytes * UINT64_C(0x9e3779b97f4a7c15)) >> 49);
}

static int beginMessage(const MpcMpiMessage *message, int sends) {
  for (uint64_t at = 0; at < message->bytes; at += LARGEST_PIECE) {
    uint64_t left = message->bytes - at;
    int bytes = (int)(left < LARGEST_PIECE ? left : LARGEST_PIECE);
    int peer = (int)message->peer, tag = tagOf(message->bytes);
    int error = reserve(numRequests_ + 1);
    char *data = (char *)message->data + at;
    if (error)
      return error;
    MPI_Request *request = &requests_[numRequests_];
    error = sends ? MPI_Isend(data, bytes, MPI_BYTE, peer, tag, data_, request)
                  : MPI_Irecv(data, bytes, MPI_BYTE, peer, tag, data_, request);
    if (error)
      return error;
    peers_[numRequests_++] = message->peer;
  }
  return 0;
}

static int begin(const MpcMpiMessage *sends, size_t numSends,
                 const MpcMpiMessage *receives, size_t numReceives) {
  int error = 0;
  numRequests_ = 0;
  for (size_t i = 0; i < numReceives && !error; ++i)
    error = beginMessage(&receives[i], 0);
  for (size_t i = 0; i < numSends && !error; ++i)
    error = beginMessage(&sends[i], 1);
  return error;
}

static int test(int *isDone) {
  return MPI_Testall(numRequests_, requests_, isDone, MPI_STATUSES_IGNORE);
}

static int isWaitingFor(uint32_t peer) {
  for (int i = 0; i < numRequests_; ++i) {
    int isDone = 0;
    if (peers_[i] == peer &&
        !MPI_Request_get_status(requests_[i], &isDone, MPI_STATUS_IGNORE) &&
        !isDone)
      return 1;
  }
  return 0;
}

/// A note is short enough to leave at once. Its memory is used again only after
/// many others.
static int sendNote(uint32_t peer, const void *note, size_t bytes) {
  static char memory[NOTES][LONGEST_NOTE];
  static unsigned next;
  MPI_Request request;
  if (bytes > LONGEST_NOTE)
    return MPI_ERR_COUNT;
  char *own = memory[next++ % NOTES];
  memcpy(own, note, bytes);
  int error =
      MPI_Isend(own, (int)bytes, MPI_BYTE, (int)peer, kNote, notes_, &request);
  return error ? error : MPI_Request_free(&request);
}

static int takeNote(uint32_t *peer, void *note, size_t bytes, int *found) {
  MPI_Status status;
  int error = MPI_Iprobe(MPI_ANY_SOURCE, kNote, notes_, found, &status);
  if (error || !*found)
    return error;
  *peer = (uint32_t)status.MPI_SOURCE;
  return MPI_Recv(note, (int)bytes, MPI_BYTE, status.MPI_SOURCE, kNote, notes_,
                  MPI_STATUS_IGNORE);
}

const MpcMpiModule *mpcMpiModule(void) {
  static const MpcMpiModule module = {
      MPC_MPI_MODULE_VERSION,
      MPC_MPI_NAME,
      openLibrary,
      closeLibrary,
      describe,
      begin,
      test,
      isWaitingFor,
      sendNote,
      takeNote,
  };
  return &module;
}
