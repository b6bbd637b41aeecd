/* glib.c - promises in GLib's main loop, and so in GTK's. */
#include "story.h"

#include <glib-unix.h>
#include <glib.h>

static gboolean turn(gint file, GIOCondition condition, gpointer loop) {
  (void)file, (void)condition;
  promise_loop_run_once(loop);
  return G_SOURCE_CONTINUE;
}

static gboolean timer_ends(gpointer promise) {
  story_fulfil(promise);
  return G_SOURCE_REMOVE;
}

static void fulfil_later(void *main_loop, promise_t *promise) {
  (void)main_loop;
  g_timeout_add(10, timer_ends, promise);
}

static void quit(void *main_loop) {
  g_main_loop_quit(main_loop);
}

int main(void) {
  GMainLoop *main_loop = g_main_loop_new(NULL, FALSE);
  promise_loop_t *loop = promise_loop_new();
  if (loop == NULL)
    return 1;
  guint source = g_unix_fd_add(promise_loop_fd(loop), G_IO_IN, turn, loop);

  story_t story = {loop, main_loop, fulfil_later, quit};
  story_begin(&story);
  g_main_loop_run(main_loop);

  g_source_remove(source);
  g_main_loop_unref(main_loop);
  promise_loop_release(loop);
  return 0;
}
