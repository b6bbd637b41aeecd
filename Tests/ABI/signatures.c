/* The type of each exported function. No type ever changes, because programs are compiled with it. This file is
 * compiled, not run; scripts/check-headers.sh checks that it lists every function of the header. */
#include "promise.h"
#include "promise_plugin.h"

/* FUNCTION(name, result, (parameters)): fails to compile unless the function has exactly that type. */
#if defined(__cplusplus)
#include <type_traits>
#define FUNCTION(name, result, parameters)                                                                             \
  static_assert(std::is_same<decltype(&name), result(*) parameters>::value, #name)
#elif defined(__TINYC__) || __STDC_VERSION__ < 201112L
#define FUNCTION(name, result, parameters) extern result name parameters
#else
#define FUNCTION(name, result, parameters) _Static_assert(_Generic(&name, result(*) parameters : 1, default : 0), #name)
#endif

typedef void observer_t(void *ctx, const promise_value_t *value);
typedef void submit_t(void *ctx, promise_job_t *job);

FUNCTION(promise_version, const char *, (void));
FUNCTION(promise_abi_version, uint32_t, (void));
FUNCTION(promise_status_name, const char *, (promise_status_t));
FUNCTION(promise_last_status, promise_status_t, (void));

FUNCTION(promise_value_retain, promise_status_t, (const promise_value_t *));
FUNCTION(promise_value_release, promise_status_t, (promise_value_t *));
FUNCTION(promise_value_string, promise_status_t, (promise_value_t *, const char *, size_t));
FUNCTION(promise_value_bytes, promise_status_t, (promise_value_t *, const void *, size_t));
FUNCTION(promise_value_error_sized, promise_status_t,
         (promise_value_t *, const char *, size_t, int64_t, const char *, size_t));
FUNCTION(promise_value_error, promise_status_t, (promise_value_t *, const char *, int64_t, const char *));
FUNCTION(promise_value_object_with, promise_status_t,
         (promise_value_t *, const promise_type_t *, void *, void *, promise_free_t));
FUNCTION(promise_value_void, promise_status_t, (promise_value_t *));
FUNCTION(promise_value_bool, promise_status_t, (promise_value_t *, bool));
FUNCTION(promise_value_i64, promise_status_t, (promise_value_t *, int64_t));
FUNCTION(promise_value_u64, promise_status_t, (promise_value_t *, uint64_t));
FUNCTION(promise_value_f64, promise_status_t, (promise_value_t *, double));
FUNCTION(promise_value_pointer, promise_status_t, (promise_value_t *, void *));
FUNCTION(promise_value_promise, promise_status_t, (promise_value_t *, promise_t *));
FUNCTION(promise_value_object, promise_status_t, (promise_value_t *, const promise_type_t *, void *));
FUNCTION(promise_value_data, const char *, (const promise_value_t *, size_t *));
FUNCTION(promise_value_domain, const char *, (const promise_value_t *));
FUNCTION(promise_value_code, int64_t, (const promise_value_t *));
FUNCTION(promise_value_bytes_foreign, promise_status_t,
         (promise_value_t *, const void *, size_t, void *, promise_free_t));
FUNCTION(promise_value_error_from, promise_status_t,
         (promise_value_t *, const char *, int64_t, const char *, const char *, const promise_value_t *));
FUNCTION(promise_value_origin, const char *, (const promise_value_t *));
FUNCTION(promise_value_cause, const promise_value_t *, (const promise_value_t *));

FUNCTION(promise_value_array, promise_status_t, (promise_value_t *, const promise_value_t *, size_t));
FUNCTION(promise_value_map, promise_status_t,
         (promise_value_t *, const char *const *, const size_t *, const promise_value_t *, size_t));
FUNCTION(promise_value_count, size_t, (const promise_value_t *));
FUNCTION(promise_value_at, const promise_value_t *, (const promise_value_t *, size_t));
FUNCTION(promise_value_key, const char *, (const promise_value_t *, size_t, size_t *));
FUNCTION(promise_value_find, const promise_value_t *, (const promise_value_t *, const char *, size_t));

FUNCTION(promise_builder_new, promise_builder_t *, (promise_kind_t, size_t));
FUNCTION(promise_builder_from, promise_builder_t *, (const promise_value_t *));
FUNCTION(promise_builder_add, promise_status_t, (promise_builder_t *, const promise_value_t *));
FUNCTION(promise_builder_set, promise_status_t, (promise_builder_t *, const char *, size_t, const promise_value_t *));
FUNCTION(promise_builder_append, promise_status_t, (promise_builder_t *, const void *, size_t));
FUNCTION(promise_builder_room, void *, (promise_builder_t *, size_t));
FUNCTION(promise_builder_advance, promise_status_t, (promise_builder_t *, size_t));
FUNCTION(promise_builder_count, int64_t, (promise_builder_t *));
FUNCTION(promise_builder_finish, promise_status_t, (promise_builder_t *, promise_value_t *));
FUNCTION(promise_builder_drop, promise_status_t, (promise_builder_t *));

FUNCTION(promise_value_equal, promise_status_t, (const promise_value_t *, const promise_value_t *, bool *));
FUNCTION(promise_value_describe, size_t, (const promise_value_t *, char *, size_t));
FUNCTION(promise_type_methods, promise_status_t, (const promise_type_t *, promise_equal_t, promise_describe_t));
FUNCTION(promise_value_from_json, promise_status_t,
         (promise_value_t *, const char *, size_t, const promise_json_options_t *, promise_value_t *));
FUNCTION(promise_value_to_json, promise_status_t,
         (promise_value_t *, const promise_value_t *, const promise_json_options_t *, promise_value_t *));

FUNCTION(promise_value_is, bool, (const promise_value_t *, const promise_type_t *));
FUNCTION(promise_value_type, const promise_type_t *, (const promise_value_t *));

FUNCTION(promise_type_register, const promise_type_t *, (const char *, const promise_type_t *, promise_free_t));
FUNCTION(promise_type_named, const promise_type_t *, (const char *));
FUNCTION(promise_type_name, const char *, (const promise_type_t *));

FUNCTION(promise_new_resolved, promise_t *, (const promise_value_t *));
FUNCTION(promise_new_rejected, promise_t *, (const promise_value_t *));
FUNCTION(promise_new, promise_t *, (void));
FUNCTION(promise_new_discardable, promise_t *, (void (*)(void *), void *, promise_free_t));
FUNCTION(promise_retain, promise_status_t, (promise_t *));
FUNCTION(promise_release, promise_status_t, (promise_t *));
FUNCTION(promise_resolve, promise_status_t, (promise_t *, const promise_value_t *));
FUNCTION(promise_resolve_many, promise_status_t,
         (promise_t *const *, const promise_value_t *, size_t, promise_status_t *));
FUNCTION(promise_reject, promise_status_t, (promise_t *, const promise_value_t *));
FUNCTION(promise_discard_with, promise_status_t, (promise_t *, const promise_value_t *));
FUNCTION(promise_discard, promise_status_t, (promise_t *));
FUNCTION(promise_state, promise_state_t, (promise_t *));
FUNCTION(promise_result, promise_status_t, (promise_t *, promise_value_t *));
FUNCTION(promise_wait, promise_status_t, (promise_t *, int64_t));
FUNCTION(promise_wait_interruptible, promise_status_t, (promise_t *, int64_t));
FUNCTION(promise_wait_any, promise_status_t, (promise_t *const *, size_t, int64_t, size_t *));

FUNCTION(promise_then, promise_t *, (promise_t *, promise_handler_t, void *, promise_free_t));
FUNCTION(promise_rescue, promise_t *, (promise_t *, const promise_type_t *, promise_handler_t, void *, promise_free_t));
FUNCTION(promise_observe, promise_status_t, (promise_t *, observer_t *, observer_t *, void *, promise_free_t));
FUNCTION(promise_react, promise_t *, (promise_t *, const promise_reaction_t *));

FUNCTION(promise_finally, promise_t *, (promise_t *, void (*)(void *), void *, promise_free_t));
FUNCTION(promise_tap, promise_status_t, (promise_t *, observer_t *, observer_t *, void *, promise_free_t));
FUNCTION(promise_follow, promise_status_t, (promise_t *, promise_t *));

FUNCTION(promise_request_cancel, promise_status_t, (promise_t *, const promise_value_t *));
FUNCTION(promise_cancel_requested, int32_t, (promise_t *));
FUNCTION(promise_on_cancel_request, promise_status_t, (promise_t *, observer_t *, void *, promise_free_t));
FUNCTION(promise_seal, promise_status_t, (promise_t *));
FUNCTION(promise_value_discarded, promise_status_t, (promise_value_t *, const promise_value_t *));
FUNCTION(promise_token_new, promise_token_t *, (uint32_t));
FUNCTION(promise_token_retain, promise_status_t, (promise_token_t *));
FUNCTION(promise_token_release, promise_status_t, (promise_token_t *));
FUNCTION(promise_token_invalidate, promise_status_t, (promise_token_t *, const promise_value_t *));
FUNCTION(promise_token_cancel, promise_status_t, (promise_token_t *, const promise_value_t *));
FUNCTION(promise_token_add, promise_status_t, (promise_token_t *, promise_t *));
FUNCTION(promise_token_chain, promise_status_t, (promise_token_t *, promise_token_t *, uint32_t));
FUNCTION(promise_token_set_deadline, promise_status_t, (promise_token_t *, promise_executor_t *, int64_t));
FUNCTION(promise_token_deadline, int64_t, (promise_token_t *));
FUNCTION(promise_token_is_cancelled, int32_t, (promise_token_t *));
FUNCTION(promise_token_generation, int64_t, (promise_token_t *));

FUNCTION(promise_all, promise_t *, (promise_t *const *, size_t, uint32_t));
FUNCTION(promise_all_settled, promise_t *, (promise_t *const *, size_t, uint32_t));
FUNCTION(promise_any, promise_t *, (promise_t *const *, size_t, uint32_t));
FUNCTION(promise_race, promise_t *, (promise_t *const *, size_t, uint32_t));

FUNCTION(promise_executor_new, promise_executor_t *, (submit_t *, void *, promise_free_t));
FUNCTION(promise_executor_immediate, promise_executor_t *, (void));
FUNCTION(promise_executor_global, promise_executor_t *, (promise_priority_t));
FUNCTION(promise_executor_serial, promise_executor_t *, (promise_executor_t *));
FUNCTION(promise_executor_main, promise_executor_t *, (void));
FUNCTION(promise_executor_set_main, promise_status_t, (promise_executor_t *));
FUNCTION(promise_is_main_thread, bool, (void));
FUNCTION(promise_executor_submit, promise_status_t, (promise_executor_t *, void (*)(void *), void *, promise_free_t));
FUNCTION(promise_run, promise_t *, (promise_executor_t *, promise_handler_t, void *, promise_free_t));
FUNCTION(promise_executor_is_current, int32_t, (promise_executor_t *));
FUNCTION(promise_executor_retain, promise_status_t, (promise_executor_t *));
FUNCTION(promise_executor_release, promise_status_t, (promise_executor_t *));
FUNCTION(promise_job_run, promise_status_t, (promise_job_t *));
FUNCTION(promise_job_drop, promise_status_t, (promise_job_t *));

FUNCTION(promise_set_thread_hooks, promise_status_t, (promise_callback_t, promise_callback_t, void *, promise_free_t));

FUNCTION(promise_now, int64_t, (void));
FUNCTION(promise_sleep, promise_t *, (int64_t));
FUNCTION(promise_sleep_on, promise_t *, (promise_executor_t *, int64_t));
FUNCTION(promise_delay, promise_t *, (promise_t *, int64_t));
FUNCTION(promise_delay_on, promise_t *, (promise_executor_t *, promise_t *, int64_t));
FUNCTION(promise_timeout, promise_t *, (promise_t *, int64_t));
FUNCTION(promise_timeout_on, promise_t *, (promise_executor_t *, promise_t *, int64_t));

FUNCTION(promise_loop_new, promise_loop_t *, (void));
FUNCTION(promise_loop_main, promise_loop_t *, (void));
FUNCTION(promise_loop_retain, promise_status_t, (promise_loop_t *));
FUNCTION(promise_loop_release, promise_status_t, (promise_loop_t *));
FUNCTION(promise_loop_is_current, int32_t, (promise_loop_t *));
FUNCTION(promise_loop_fd, int32_t, (promise_loop_t *));
FUNCTION(promise_loop_executor, promise_executor_t *, (promise_loop_t *));
FUNCTION(promise_loop_run_once, int64_t, (promise_loop_t *));
FUNCTION(promise_loop_run, promise_status_t, (promise_loop_t *, int64_t));
FUNCTION(promise_loop_wait, promise_status_t, (promise_loop_t *, promise_t *, int64_t));
FUNCTION(promise_loop_stop, promise_status_t, (promise_loop_t *));

FUNCTION(promise_queue_new, promise_queue_t *, (void));
FUNCTION(promise_queue_retain, promise_status_t, (promise_queue_t *));
FUNCTION(promise_queue_release, promise_status_t, (promise_queue_t *));
FUNCTION(promise_queue_free, promise_status_t, (promise_queue_t *));
FUNCTION(promise_queue_fd, int32_t, (promise_queue_t *));
FUNCTION(promise_queue_watch, promise_status_t, (promise_queue_t *, promise_t *, uint64_t));
FUNCTION(promise_queue_tap, promise_status_t, (promise_queue_t *, promise_t *, uint64_t));
FUNCTION(promise_queue_unwatch, int64_t, (promise_queue_t *, uint64_t));
FUNCTION(promise_queue_then, promise_t *, (promise_queue_t *, promise_t *, uint64_t));
FUNCTION(promise_queue_on_cancel, promise_status_t, (promise_queue_t *, promise_t *, uint64_t));
FUNCTION(promise_queue_object, promise_status_t,
         (promise_queue_t *, promise_value_t *, const promise_type_t *, uint64_t));
FUNCTION(promise_queue_take, int64_t, (promise_queue_t *, promise_event_t *, size_t, int64_t));
FUNCTION(promise_queue_answer, promise_status_t, (promise_event_t *, size_t));

FUNCTION(promise_publisher_new, promise_publisher_t *, (uint32_t));
FUNCTION(promise_publisher_every, promise_publisher_t *, (promise_executor_t *, int64_t));
FUNCTION(promise_publisher_retain, promise_status_t, (promise_publisher_t *));
FUNCTION(promise_publisher_release, promise_status_t, (promise_publisher_t *));
FUNCTION(promise_publisher_publish, promise_status_t, (promise_publisher_t *, const promise_value_t *));
FUNCTION(promise_publisher_publish_error, promise_status_t, (promise_publisher_t *, const promise_value_t *));
FUNCTION(promise_publisher_finish, promise_status_t, (promise_publisher_t *));
FUNCTION(promise_publisher_fail, promise_status_t, (promise_publisher_t *, const promise_value_t *));
FUNCTION(promise_publisher_cancel, promise_status_t, (promise_publisher_t *));
FUNCTION(promise_publisher_state, promise_state_t, (promise_publisher_t *));
FUNCTION(promise_publisher_latest, promise_state_t, (promise_publisher_t *, promise_value_t *));
FUNCTION(promise_publisher_count, int64_t, (promise_publisher_t *));
FUNCTION(promise_publisher_ready, promise_t *, (promise_publisher_t *));
FUNCTION(promise_publisher_subscribe, promise_subscriber_t *, (promise_publisher_t *, const promise_subscription_t *));
FUNCTION(promise_publisher_transform, promise_publisher_t *, (promise_publisher_t *, const promise_transform_t *));
FUNCTION(promise_publisher_distinct, promise_publisher_t *, (promise_publisher_t *, uint32_t));
FUNCTION(promise_publisher_window, promise_publisher_t *, (promise_publisher_t *, size_t));
FUNCTION(promise_publisher_buffer, promise_publisher_t *, (promise_publisher_t *, size_t));
FUNCTION(promise_publisher_scan, promise_publisher_t *,
         (promise_publisher_t *, const promise_value_t *, promise_fold_t, void *, promise_free_t));
FUNCTION(promise_publisher_reduce, promise_publisher_t *,
         (promise_publisher_t *, const promise_value_t *, promise_fold_t, void *, promise_free_t));
FUNCTION(promise_publisher_take, promise_publisher_t *, (promise_publisher_t *, uint64_t));
FUNCTION(promise_publisher_stateful, promise_publisher_t *, (promise_publisher_t *));
FUNCTION(promise_publisher_replay, promise_publisher_t *, (promise_publisher_t *, size_t));
FUNCTION(promise_publisher_start_with, promise_publisher_t *, (promise_publisher_t *, const promise_value_t *));
FUNCTION(promise_publisher_merge, promise_publisher_t *, (promise_publisher_t *const *, size_t));
FUNCTION(promise_publisher_combine_latest, promise_publisher_t *, (promise_publisher_t *const *, size_t));
FUNCTION(promise_publisher_zip, promise_publisher_t *, (promise_publisher_t *const *, size_t));
FUNCTION(promise_publisher_debounce, promise_publisher_t *, (promise_executor_t *, promise_publisher_t *, int64_t));
FUNCTION(promise_publisher_throttle, promise_publisher_t *,
         (promise_executor_t *, promise_publisher_t *, int64_t, uint32_t));
FUNCTION(promise_publisher_timeout, promise_publisher_t *, (promise_executor_t *, promise_publisher_t *, int64_t));
FUNCTION(promise_publisher_flat_map, promise_publisher_t *,
         (promise_publisher_t *, promise_flatten_t, promise_inner_t, void *, promise_free_t));
FUNCTION(promise_publisher_retry, promise_publisher_t *, (uint64_t, promise_inner_t, void *, promise_free_t));
FUNCTION(promise_publisher_of, promise_publisher_t *, (promise_t *));
FUNCTION(promise_publisher_forward, promise_subscriber_t *, (promise_publisher_t *, promise_publisher_t *, uint32_t));
FUNCTION(promise_subscriber_retain, promise_status_t, (promise_subscriber_t *));
FUNCTION(promise_subscriber_release, promise_status_t, (promise_subscriber_t *));
FUNCTION(promise_subscriber_request, promise_status_t, (promise_subscriber_t *, uint64_t));
FUNCTION(promise_subscriber_cancel, promise_status_t, (promise_subscriber_t *));
FUNCTION(promise_subscriber_next, promise_t *, (promise_subscriber_t *));
FUNCTION(promise_subscriber_end, promise_t *, (promise_subscriber_t *));
FUNCTION(promise_subscriber_dropped, int64_t, (promise_subscriber_t *));
FUNCTION(promise_set_hooks, promise_status_t, (const promise_hooks_t *));

FUNCTION(promise_dump, promise_status_t, (int32_t));
FUNCTION(promise_dump_lines, promise_status_t, (void (*)(void *, const char *, size_t), void *));
FUNCTION(promise_trace_start, promise_status_t, (const promise_trace_t *));
FUNCTION(promise_trace_stop, promise_status_t, (void));
FUNCTION(promise_trace_write, promise_status_t, (int32_t, promise_trace_format_t));

FUNCTION(promise_statistics, promise_status_t, (promise_statistics_t *));
FUNCTION(promise_trim, int64_t, (void));

FUNCTION(promise_plugin_entry, const promise_plugin_t *, (uint32_t));
