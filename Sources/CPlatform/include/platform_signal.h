/* platform_signal.h - a file descriptor that is readable exactly while an event is pending or a deadline has passed. */
#ifndef CPLATFORM_SIGNAL_H
#define CPLATFORM_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/* `poll` is an epoll descriptor, readable while `event` (an eventfd) is set or the deadline of `timer` (a timerfd)
 * has passed. Only this epoll instance waits for those two, so no other reader consumes their state. */
struct platform_signal {
  int poll;
  int event;
  int timer;
};

/* Opens a signal that is not readable. False if no descriptor is left (RLIMIT_NOFILE). */
bool platform_signal_open(struct platform_signal *signal) __attribute__((visibility("hidden")));
void platform_signal_close(const struct platform_signal *signal) __attribute__((visibility("hidden")));

/* Replaces the open files, which a child of fork() shares with its parent, under the same descriptors. The signal is
 * not readable afterwards. False if no descriptor is left; then the signal is closed. */
bool platform_signal_renew(struct platform_signal *signal) __attribute__((visibility("hidden")));

/* Makes the signal readable, or not readable. Setting it while it is readable causes a new edge for edge-triggered
 * pollers. Do not clear it twice in a row. */
void platform_signal_set(const struct platform_signal *signal, bool readable) __attribute__((visibility("hidden")));

/* Makes the signal readable from the monotonic time `deadline` on (nanoseconds; INT64_MAX: never), in place of the
 * previous deadline. */
void platform_signal_arm(const struct platform_signal *signal, int64_t deadline) __attribute__((visibility("hidden")));

/* Sleeps until the signal is readable, until the monotonic time `deadline` (negative: unlimited), or a spurious
 * wake-up. */
void platform_signal_wait(const struct platform_signal *signal, int64_t deadline) __attribute__((visibility("hidden")));

/* Opens a single eventfd that is not readable. Returns a negative number if no descriptor is left (RLIMIT_NOFILE). */
int platform_event_open(void) __attribute__((visibility("hidden")));
void platform_event_close(int event) __attribute__((visibility("hidden")));

/* Makes the event readable, or not readable. Setting it while it is readable causes a new edge. */
void platform_event_set(int event, bool readable) __attribute__((visibility("hidden")));

/* Replaces the open file of an eventfd as platform_signal_renew() does. False if no descriptor is left: then the
 * descriptor is closed. */
bool platform_event_renew(int event) __attribute__((visibility("hidden")));

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
