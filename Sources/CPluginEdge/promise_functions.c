#include "plugin_edge.h"

#include <string.h>

/* Defines both arrays from one list: the text of the arguments has the names, in the same order. */
#define FUNCTIONS(...)                                                                                                 \
  static void *const functions[] = {__VA_ARGS__};                                                                      \
  static const char names[] = #__VA_ARGS__

FUNCTIONS(promise_abi_version, promise_all, promise_all_settled, promise_any, promise_builder_add,
          promise_builder_advance, promise_builder_append, promise_builder_count, promise_builder_drop,
          promise_builder_finish, promise_builder_from, promise_builder_new, promise_builder_room, promise_builder_set,
          promise_cancel_requested, promise_delay, promise_delay_on, promise_discard, promise_discard_with,
          promise_dump, promise_dump_lines, promise_executor_global, promise_executor_immediate,
          promise_executor_is_current, promise_executor_main, promise_executor_new, promise_executor_release,
          promise_executor_retain, promise_executor_serial, promise_executor_set_main, promise_executor_submit,
          promise_finally, promise_follow, promise_is_main_thread, promise_job_drop, promise_job_run,
          promise_last_status, promise_loop_executor, promise_loop_fd, promise_loop_is_current, promise_loop_main,
          promise_loop_new, promise_loop_release, promise_loop_retain, promise_loop_run, promise_loop_run_once,
          promise_loop_stop, promise_loop_wait, promise_new, promise_new_discardable, promise_new_rejected,
          promise_new_resolved, promise_now, promise_observe, promise_on_cancel_request, promise_publisher_buffer,
          promise_publisher_cancel, promise_publisher_combine_latest, promise_publisher_count,
          promise_publisher_debounce, promise_publisher_distinct, promise_publisher_every, promise_publisher_fail,
          promise_publisher_finish, promise_publisher_flat_map, promise_publisher_forward, promise_publisher_latest,
          promise_publisher_merge, promise_publisher_new, promise_publisher_of, promise_publisher_publish,
          promise_publisher_publish_error, promise_publisher_ready, promise_publisher_reduce, promise_publisher_release,
          promise_publisher_replay, promise_publisher_retain, promise_publisher_retry, promise_publisher_scan,
          promise_publisher_start_with, promise_publisher_state, promise_publisher_stateful,
          promise_publisher_subscribe, promise_publisher_take, promise_publisher_throttle, promise_publisher_timeout,
          promise_publisher_transform, promise_publisher_window, promise_publisher_zip, promise_queue_answer,
          promise_queue_fd, promise_queue_free, promise_queue_new, promise_queue_object, promise_queue_on_cancel,
          promise_queue_release, promise_queue_retain, promise_queue_take, promise_queue_tap, promise_queue_then,
          promise_queue_unwatch, promise_queue_watch, promise_race, promise_react, promise_reject, promise_release,
          promise_request_cancel, promise_rescue, promise_resolve, promise_resolve_many, promise_result, promise_retain,
          promise_run, promise_seal, promise_set_hooks, promise_set_thread_hooks, promise_sleep, promise_sleep_on,
          promise_state, promise_statistics, promise_status_name, promise_subscriber_cancel, promise_subscriber_dropped,
          promise_subscriber_end, promise_subscriber_next, promise_subscriber_release, promise_subscriber_request,
          promise_subscriber_retain, promise_tap, promise_then, promise_timeout, promise_timeout_on, promise_token_add,
          promise_token_cancel, promise_token_chain, promise_token_deadline, promise_token_generation,
          promise_token_invalidate, promise_token_is_cancelled, promise_token_new, promise_token_release,
          promise_token_retain, promise_token_set_deadline, promise_trace_start, promise_trace_stop,
          promise_trace_write, promise_trim, promise_type_methods, promise_type_name, promise_type_named,
          promise_type_register, promise_value_array, promise_value_at, promise_value_bool, promise_value_bytes,
          promise_value_bytes_foreign, promise_value_cause, promise_value_code, promise_value_count, promise_value_data,
          promise_value_describe, promise_value_discarded, promise_value_domain, promise_value_equal,
          promise_value_error, promise_value_error_from, promise_value_error_sized, promise_value_f64,
          promise_value_find, promise_value_from_json, promise_value_i64, promise_value_is, promise_value_key,
          promise_value_map, promise_value_object, promise_value_object_with, promise_value_origin,
          promise_value_pointer, promise_value_promise, promise_value_release, promise_value_retain,
          promise_value_string, promise_value_to_json, promise_value_type, promise_value_u64, promise_value_void,
          promise_version, promise_wait, promise_wait_any, promise_wait_interruptible);

promise_function_t plugin_promise_function(const promise_host_t *host, const char *name) {
  (void)host;
  const char *known = names;
  for (size_t i = 0; name != NULL && i < sizeof functions / sizeof functions[0]; i++) {
    size_t length = strcspn(known, ",");
    if (strncmp(known, name, length) == 0 && name[length] == '\0')
      return (promise_function_t)functions[i];
    known += length + strspn(known + length, ", ");
  }
  return NULL;
}
