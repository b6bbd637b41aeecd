/* libuv.c - promises in libuv's loop. */
#include "story.h"

#include <uv.h>

typedef struct host {
  uv_loop_t uv;
  uv_poll_t poll; /* watches the descriptor of the promise_loop_t in `data` */
  uv_timer_t timer;
} host_t;

static void turn(uv_poll_t *poll, int status, int events) {
  (void)status, (void)events;
  promise_loop_run_once(poll->data);
}

static void timer_ends(uv_timer_t *timer) {
  story_fulfil(timer->data);
}

static void fulfil_later(void *ctx, promise_t *promise) {
  host_t *host = ctx;
  host->timer.data = promise;
  uv_timer_start(&host->timer, timer_ends, 10, 0);
}

/* Closes the handles: uv_run() returns when none is left. */
static void quit(void *ctx) {
  host_t *host = ctx;
  uv_close((uv_handle_t *)&host->poll, NULL);
  uv_close((uv_handle_t *)&host->timer, NULL);
}

int main(void) {
  host_t host;
  promise_loop_t *loop = promise_loop_new();
  if (loop == NULL || uv_loop_init(&host.uv) != 0)
    return 1;
  uv_timer_init(&host.uv, &host.timer);
  uv_poll_init(&host.uv, &host.poll, promise_loop_fd(loop));
  host.poll.data = loop;
  uv_poll_start(&host.poll, UV_READABLE, turn);

  story_t story = {loop, &host, fulfil_later, quit};
  story_begin(&story);
  uv_run(&host.uv, UV_RUN_DEFAULT);

  uv_loop_close(&host.uv);
  promise_loop_release(loop);
  return 0;
}
