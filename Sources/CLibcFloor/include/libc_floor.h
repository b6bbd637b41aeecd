/* libc_floor.h - linked into libpromise only, so that it loads with an older C library than the one it is linked with.
 *
 * Nothing here is called by name: each source defines a hidden function of the C library, and all other objects of
 * libpromise bind to that definition. docs/decisions/0022-glibc-floor.md has the reasons. */
#ifndef LIBC_FLOOR_H
#define LIBC_FLOOR_H
#endif
