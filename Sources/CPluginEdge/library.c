#define _GNU_SOURCE
#include "plugin_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Types of file systems (statfs). */
enum { NFS = 0x6969, SMB = 0x517B };
static const uint32_t CIFS = 0xFF534D42, SMB2 = 0xFE534D42;

/* PROCMAP_QUERY of Linux 6.11, which answers for one address. Older headers lack it. */
struct query {
  uint64_t size, flags, address;
  uint64_t start, end, protection, page_size, offset, inode;
  uint32_t device_major, device_minor;
  uint32_t name_size, build_id_size;
  uint64_t name, build_id;
};
#define QUERY _IOWR('f', 17, struct query)

/* The fallback for older kernels: reads all lines. */
static bool search(uintptr_t address, plugin_mapping_t *mapping) {
  FILE *maps = fopen("/proc/self/maps", "re");
  if (maps == NULL)
    return false;
  unsigned long start, end, inode;
  unsigned int high, low;
  bool found = false;
  /* The rest of a line is a name of any length. */
  while (!found && fscanf(maps, "%lx-%lx %*s %*x %x:%x %lu%*[^\n]", &start, &end, &high, &low, &inode) == 5)
    found = start <= address && address < end;
  fclose(maps);
  if (found)
    *mapping = (plugin_mapping_t){makedev(high, low), inode};
  return found && inode != 0;
}

bool plugin_mapping_at(const void *address, plugin_mapping_t *mapping) {
  struct query query = {.size = sizeof query, .address = (uintptr_t)address};
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  bool answered = maps >= 0 && ioctl(maps, QUERY, &query) == 0;
  if (maps >= 0)
    close(maps);
  if (!answered)
    return search((uintptr_t)address, mapping);
  *mapping = (plugin_mapping_t){makedev(query.device_major, query.device_minor), query.inode};
  return query.inode != 0;
}

bool plugin_mapping_of(int32_t descriptor, plugin_mapping_t *mapping) {
  void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (page == MAP_FAILED)
    return false;
  bool found = plugin_mapping_at(page, mapping);
  munmap(page, 1);
  return found;
}

void *plugin_library_open(const char *path) {
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void *plugin_library_find(const char *path) {
  return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
}

void *plugin_library_symbol(void *handle, const char *name) {
  void *found = dlsym(handle, name);
  if (found == NULL || found != dlsym(RTLD_NEXT, name))
    return found;
  void *first = dlsym(RTLD_DEFAULT, name);
  return first != NULL ? first : found;
}

bool plugin_library_defines(void *handle, const char *name) {
  struct link_map *own = NULL;
  struct link_map *definer = NULL;
  Dl_info information;
  void *found = dlsym(handle, name);
  return found != NULL && dlinfo(handle, RTLD_DI_LINKMAP, &own) == 0 &&
         dladdr1(found, &information, (void **)&definer, RTLD_DL_LINKMAP) != 0 && definer == own;
}

bool plugin_file_is_remote(int32_t descriptor) {
  struct statfs system;
  if (fstatfs(descriptor, &system) != 0)
    return false;
  uint32_t type = (uint32_t)system.f_type;
  return type == NFS || type == SMB || type == CIFS || type == SMB2;
}

const void *plugin_library_address(void *handle) {
  struct link_map *map = NULL;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_ld : NULL;
}

uint64_t plugin_library_offset(const void *address) {
  Dl_info symbol;
  if (dladdr(address, &symbol) == 0 || symbol.dli_fbase == NULL)
    return UINT64_MAX;
  return (uintptr_t)address - (uintptr_t)symbol.dli_fbase;
}

void plugin_library_rename(void *handle, const char *path) {
  struct link_map *map = NULL;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || strcmp(map->l_name, path) == 0)
    return;
  char *copy = strdup(path);
  /* The previous name is not freed: another thread may be reading it. */
  if (copy != NULL)
    __atomic_store_n(&map->l_name, copy, __ATOMIC_RELEASE);
}

/* The loader has relocated the offsets in the dynamic section to addresses, except for objects whose section is not
 * writable: the kernel's. Their offsets are below the object's own address. */
static bool is_named(const struct dl_phdr_info *object, const ElfW(Dyn) * entry, const char *name) {
  const char *strings = NULL;
  const ElfW(Dyn) *soname = NULL;
  for (; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_STRTAB && entry->d_un.d_ptr >= object->dlpi_addr)
      strings = (const char *)entry->d_un.d_ptr;
    if (entry->d_tag == DT_SONAME)
      soname = entry;
  }
  return strings != NULL && soname != NULL && strcmp(strings + soname->d_un.d_val, name) == 0;
}

struct named_library {
  const char *name;
  const ElfW(Dyn) * address;
};

static int compare(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  struct named_library *library = data;
  library->address = NULL;
  /* The program itself is not a library, and may be loaded at 0. */
  if (object->dlpi_name[0] == '\0')
    return 0;
  for (int i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      library->address = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  return strcmp(object->dlpi_name, library->name) == 0 ||
         (library->address != NULL && is_named(object, library->address, library->name));
}

/* A function of the C++ runtime, which plugin-host may load late: the runtime counts as loaded from the start. */
void *__cxa_get_globals(void);

const void *plugin_library_named(const char *name) {
  __cxa_get_globals();
  struct named_library library = {name, NULL};
  return dl_iterate_phdr(compare, &library) != 0 ? library.address : NULL;
}

/* The addresses of a library that stays mapped. Complete before it is in the list, and never changed or freed, because
 * signal handlers read the list. */
typedef struct noted_library {
  uintptr_t offset, start, end;
  struct noted_library *next;
  char path[];
} noted_library_t;

static _Atomic(noted_library_t *) noted;

static int measure(struct dl_phdr_info *object, size_t size, void *measured) {
  (void)size;
  noted_library_t *library = measured;
  if (object->dlpi_addr != library->offset)
    return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    uintptr_t start = object->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_LOAD)
      continue;
    library->start = start < library->start ? start : library->start;
    library->end = start + part->p_memsz > library->end ? start + part->p_memsz : library->end;
  }
  return 1;
}

void plugin_library_note(void *handle, const char *path) {
  struct link_map *map = NULL;
  noted_library_t *library = malloc(sizeof *library + strlen(path) + 1);
  if (library == NULL || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
    free(library);
    return;
  }
  *library = (noted_library_t){.offset = map->l_addr, .start = UINTPTR_MAX, .next = atomic_load(&noted)};
  memcpy(library->path, path, strlen(path) + 1);
  dl_iterate_phdr(measure, library);
  while (!atomic_compare_exchange_weak(&noted, &library->next, library)) {
  }
}

const char *plugin_library_at(uintptr_t address) {
  for (const noted_library_t *library = atomic_load(&noted); library != NULL; library = library->next)
    if (library->start <= address && address < library->end)
      return library->path;
  return NULL;
}
