#define _GNU_SOURCE
#include "plugin_library.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Copies a part of a page through a pipe, to which the kernel writes no unmapped memory. Returns whether it is mapped;
 * trusts the plugin if the process can have no pipe. */
static bool copy_by_pipe(void *to, const void *from, size_t count) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return memcpy(to, from, count) != NULL;
  bool is_mapped = write(ends[1], from, count) == (ssize_t)count && read(ends[0], to, count) == (ssize_t)count;
  close(ends[0]);
  close(ends[1]);
  return is_mapped;
}

size_t plugin_memory_copy(void *to, const void *from, size_t count) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t done = 0;
  while (done < count) {
    /* The kernel copies a range as a whole or not at all. Copy page by page, so that the mapped pages are read. */
    uintptr_t at = (uintptr_t)from + done;
    size_t length = page - at % page;
    length = length < count - done ? length : count - done;
    struct iovec local = {(char *)to + done, length}, remote = {(void *)at, length};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) != (ssize_t)length) {
      /* Some containers do not permit the call. */
      if (errno == EFAULT || !copy_by_pipe((char *)to + done, (const void *)at, length))
        return done;
    }
    done += length;
  }
  return done;
}

static int is_in_code(struct dl_phdr_info *object, size_t size, void *address) {
  (void)size;
  uintptr_t offset = (uintptr_t)address - object->dlpi_addr;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0 && offset - header->p_vaddr < header->p_memsz)
      return 1;
  }
  return 0;
}

/* Returns whether an executable mapping has the address: code generated at run time belongs to no library. True if the
 * mappings cannot be read. */
static bool is_in_executable_mapping(uintptr_t address) {
  FILE *maps = fopen("/proc/self/maps", "re");
  if (maps == NULL)
    return true;
  unsigned long start, end;
  char access[8];
  bool found = false;
  while (!found && fscanf(maps, "%lx-%lx %4s%*[^\n]", &start, &end, access) == 3)
    found = start <= address && address < end && access[2] == 'x';
  fclose(maps);
  return found;
}

bool plugin_memory_is_code(const void *address) {
  return dl_iterate_phdr(is_in_code, (void *)address) != 0 || is_in_executable_mapping((uintptr_t)address);
}

size_t plugin_memory_in_use(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  return mallinfo2().uordblks + mallinfo2().hblkhd;
#else
  return 0;
#endif
}
