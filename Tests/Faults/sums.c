/* sums.c - a valid plugin, from which the broken ones are made. */
#include "../Fixtures/plugins/fixture.h"

#ifndef OFFSET
#define OFFSET 1
#endif
#ifndef ID
#define ID "org.example.sums"
#endif

#ifdef UNIQUE
/* One variable for all libraries of a process, as C++ makes the variables of inline functions. */
__asm__(".type unique_offset, %gnu_unique_object\n");
uint32_t unique_offset = UNIQUE;
#undef OFFSET
#define OFFSET unique_offset
#endif

#ifdef NEEDS_HELP
extern int help(void);
int (*needed)(void) = help;
#endif

static uint32_t add(uint32_t a) {
  return a + OFFSET;
}

static const promise_plugin_function_t functions[] = {
    {"add(a: u32) -> u32", (promise_function_t)add, "The number, and one."},
};

static const promise_plugin_t plugin = DESCRIPTOR(ID);

#ifdef TEXT_RELOCATION
/* The address of a function, stored in the text segment. */
__asm__(".text\n.globl address_in_code\naddress_in_code: .quad promise_plugin_entry\n");
#endif
#ifdef TELLS
#include <unistd.h>
__attribute__((constructor)) static void tell(void) {
  ssize_t written = write(2, "it runs\n", 8);
  (void)written;
}
#endif

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  (void)host_abi;
  return &plugin;
}
