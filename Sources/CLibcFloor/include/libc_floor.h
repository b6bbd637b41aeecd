/* libc_floor.h - linked into libpromise alone, so that it loads with a C library older than the one it is linked with.
 *
 * Nothing here is called by name: each source defines, hidden, a function of the C library, and every other object of
 * libpromise then binds to that definition. docs/decisions/0022-glibc-floor.md has the reasons. */
#ifndef LIBC_FLOOR_H
#define LIBC_FLOOR_H
#endif
