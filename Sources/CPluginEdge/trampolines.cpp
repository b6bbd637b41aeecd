// Trampolines: code addresses that each lead to a thunk of their own, in pages that are never writable and executable.
//
// A block is two adjacent mappings. The first is code: the same 16 bytes repeated, mapped from a sealed file in memory.
// The second is a table with as many entries of 16 bytes, read-only once it is filled. A trampoline finds its entry at
// a fixed distance from itself. Both mappings are private, so a child of fork() has its own.

#include "thunk.hpp"

#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#if PLUGIN_THUNK_HAS_TRAMPOLINES

namespace {

constexpr size_t slot_size = 16;
constexpr size_t block_size = 16384;
constexpr size_t slot_count = block_size / slot_size;

constexpr size_t code_end = 11; // of the instruction that reads the table
constexpr uint32_t distance = block_size - code_end;
constexpr uint8_t code[slot_size] = {
    0xF3,
    0x0F,
    0x1E,
    0xFA, // endbr64
    0x4C,
    0x8B,
    0x15, // mov r10, [rip + distance]
    distance & 0xFF,
    distance >> 8 & 0xFF,
    distance >> 16 & 0xFF,
    distance >> 24,
    0x41,
    0xFF,
    0x22, // jmp [r10]
    0xCC,
    0xCC,
};

/// Makes a file in memory with a block's code, sealed against writing; negative if that is impossible.
int code_file() {
  static_assert(sizeof code == slot_size && code_end + distance == block_size, "an entry is one block away");
  uint8_t block[block_size];
  for (size_t slot = 0; slot < slot_count; slot++)
    memcpy(block + slot * slot_size, code, slot_size);
  int file = memfd_create("promise-callbacks", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0)
    return file;
  bool is_written = write(file, block, block_size) == ssize_t(block_size);
  if (is_written && fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    return file;
  close(file);
  return -1;
}

/// The block from which trampolines are taken.
struct {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  uint8_t *code = nullptr;
  plugin_thunk *thunks = nullptr;
  size_t used = slot_count;
} current;

bool add_block() {
  int file = code_file();
  if (file < 0)
    return false;
  void *memory = mmap(nullptr, 2 * block_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto *base = static_cast<uint8_t *>(memory);
  bool is_mapped = memory != MAP_FAILED;
  bool is_executable =
      is_mapped && mmap(base, block_size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED;
  close(file);
  bool is_writable = is_executable && mprotect(base + block_size, block_size, PROT_READ | PROT_WRITE) == 0;
  auto *thunks = is_writable ? new (std::nothrow) plugin_thunk[slot_count]() : nullptr;
  if (thunks == nullptr) {
    if (is_mapped)
      munmap(memory, 2 * block_size);
    return false;
  }
  for (size_t slot = 0; slot < slot_count; slot++) {
    plugin_thunk *thunk = &thunks[slot];
    memcpy(base + block_size + slot * slot_size, &thunk, sizeof thunk);
  }
  // Only a precaution: a table that stays writable works as well.
  (void)mprotect(base + block_size, block_size, PROT_READ);
  current.code = base;
  current.thunks = thunks;
  current.used = 0;
  return true;
}

} // namespace

plugin_thunk *plugin::trampoline_new() noexcept {
  pthread_mutex_lock(&current.lock);
  plugin_thunk *thunk = nullptr;
  if (current.used < slot_count || add_block()) {
    thunk = &current.thunks[current.used];
    thunk->function = reinterpret_cast<promise_function_t>(current.code + current.used * slot_size);
    current.used++;
  }
  pthread_mutex_unlock(&current.lock);
  return thunk;
}

#else

plugin_thunk *plugin::trampoline_new() noexcept {
  return nullptr;
}

#endif
