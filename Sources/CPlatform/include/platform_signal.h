/* platform_signal.h - a file descriptor that is readable exactly when it should be. */
#ifndef CPLATFORM_SIGNAL_H
#define CPLATFORM_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/* `poll` is an epoll descriptor, readable while `event` (an eventfd) is set or the time of `timer` (a timerfd) has come.
 * Nobody else waits for those two, so there is nothing of theirs to be read by mistake. */
struct platform_signal {
  int poll;
  int event;
  int timer;
};

/* False if there are no descriptors to be had. */
bool platform_signal_open(struct platform_signal *signal) __attribute__((visibility("hidden")));
void platform_signal_close(const struct platform_signal *signal) __attribute__((visibility("hidden")));

/* In a child of fork(), which shares the files with its parent: puts new ones in the places of the descriptors. Then it is
 * not readable. False if there is no descriptor to be had, nor is there a signal then. */
bool platform_signal_renew(struct platform_signal *signal) __attribute__((visibility("hidden")));

/* Makes it readable, or not any more. Once more while it is readable: an edge for pollers that see changes only. Not
 * unreadable twice in a row. */
void platform_signal_set(const struct platform_signal *signal, bool readable) __attribute__((visibility("hidden")));

/* Makes it readable from the monotonic time `deadline` on (nanoseconds; INT64_MAX: not at all), and no longer from the one
 * that was told before. */
void platform_signal_arm(const struct platform_signal *signal, int64_t deadline) __attribute__((visibility("hidden")));

/* Sleeps until it is readable, or until the monotonic time `deadline` (negative: for ever), or for no reason. */
void platform_signal_wait(const struct platform_signal *signal, int64_t deadline) __attribute__((visibility("hidden")));

/* An eventfd alone, readable or not; platform_event_open() gives a negative number if there is none to be had. */
int platform_event_open(void) __attribute__((visibility("hidden")));
void platform_event_close(int event) __attribute__((visibility("hidden")));

/* Makes it readable, or not any more. Once more while it is readable: a new edge. */
void platform_event_set(int event, bool readable) __attribute__((visibility("hidden")));

/* In a child of fork(): as platform_signal_renew(). Closes the descriptor if there is no file to be had: false. */
bool platform_event_renew(int event) __attribute__((visibility("hidden")));

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
