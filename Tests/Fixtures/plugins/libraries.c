/* Three libraries of other parties, by signatures alone: each row names a function of a library, and nothing is
 * wrapped. The prototypes are declared here as in their headers, so that only the libraries themselves are needed. */
#include "fixture.h"

#include <sys/types.h>

/* GLib: threads, and an event loop. */
typedef struct _GThread GThread;
typedef struct _GMainContext GMainContext;
extern GThread *g_thread_new(const char *name, void *(*func)(void *data), void *data);
extern void *g_thread_join(GThread *thread);
extern unsigned g_timeout_add(unsigned interval, int (*function)(void *data), void *data);
extern unsigned g_idle_add_full(int priority, int (*function)(void *data), void *data, void (*notify)(void *data));
extern int g_main_context_iteration(GMainContext *context, int may_block);

/* libevent: an event loop. */
struct event_base;
struct timeval;
extern struct event_base *event_base_new(void);
extern int event_base_once(struct event_base *base, int fd, short events, void (*callback)(int, short, void *),
                           void *arg, const struct timeval *timeout);
extern int event_base_loop(struct event_base *base, int flags);
extern void event_base_free(struct event_base *base);

/* systemd: an event loop with errors. */
typedef struct sd_event sd_event;
typedef struct sd_event_source sd_event_source;
extern int sd_event_new(sd_event **event);
extern int sd_event_add_time(sd_event *event, sd_event_source **source, int clock, uint64_t usec, uint64_t accuracy,
                             int (*callback)(sd_event_source *source, uint64_t usec, void *userdata), void *userdata);
extern int sd_event_run(sd_event *event, uint64_t usec);
extern sd_event *sd_event_unref(sd_event *event);

static const promise_plugin_function_t functions[] = {
    FUNCTION("g_thread_new(name: cstr?, func: fn(context) -> ptr<void>? @once, data: context) -> promise<void> by func "
             "returns ptr<GThread>",
             g_thread_new),
    FUNCTION("g_timeout_add(interval: u32, function: fn(context) -> i32 @once, data: context) -> promise<void> by "
             "function returns u32",
             g_timeout_add),
    FUNCTION("g_main_context_iteration(context: ptr<GMainContext>?, may_block: i32) -> i32", g_main_context_iteration),
    FUNCTION("event_base_new() -> ptr<event_base>", event_base_new),
    FUNCTION("event_base_once(base: ptr<event_base>, fd: i32, events: i16, callback: fn(fd: i32, events: resolve i16, "
             "context) @once, arg: context, timeout: {sec: i64, usec: i64}?) -> promise<i16> by callback returns i32 ! "
             "negative",
             event_base_once),
    FUNCTION("event_base_loop(base: ptr<event_base>, flags: i32) -> i32", event_base_loop),
    FUNCTION("event_base_free(base: ptr<event_base>)", event_base_free),
    FUNCTION("sd_event_new(event: out ptr<sd_event>) -> i32 ! negative", sd_event_new),
    FUNCTION("sd_event_add_time(event: ptr<sd_event>, source: ptr<void>?, clock: i32, usec: u64, accuracy: u64, "
             "callback: fn(source: ptr<sd_event_source>, usec: resolve u64, context) -> i32 @once, userdata: context) "
             "-> promise<u64> by callback returns i32 ! negative",
             sd_event_add_time),
    FUNCTION("sd_event_run(event: ptr<sd_event>, usec: u64) -> i32", sd_event_run),
    FUNCTION("sd_event_unref(event: ptr<sd_event>) -> ptr<sd_event>?", sd_event_unref),
};

PLUGIN("test.libraries", .description = "GLib, libevent and systemd.")
