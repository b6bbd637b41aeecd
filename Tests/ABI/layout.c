/* The sizes, offsets and constants that programs have compiled in. None of them ever changes; a later version adds
 * constants, and fields at the end of structs that begin with `size` (their sizes here are the minimum). Compiled, not
 * run. */
#include <stddef.h>

#include "promise.h"
#include "promise_plugin.h"

#if defined(__cplusplus)
#define ASSERT(condition) static_assert(condition, #condition)
#elif defined(__TINYC__) || __STDC_VERSION__ < 201112L
#define ASSERT_NAMED(condition, line) typedef char assertion_##line[(condition) ? 1 : -1]
#define ASSERT_AT(condition, line) ASSERT_NAMED(condition, line)
#define ASSERT(condition) ASSERT_AT(condition, __LINE__)
#else
#define ASSERT(condition) _Static_assert(condition, #condition)
#endif

/* Identical on every machine with the same pointer size. */
#define FIELD(type, field, at, bytes) ASSERT(offsetof(type, field) == (at) && sizeof(((type *)NULL)->field) == (bytes))

#define POINTER sizeof(void *)

ASSERT(sizeof(promise_status_t) == 4 && (promise_status_t)-1 < 0);
ASSERT(sizeof(promise_state_t) == 4 && (promise_state_t)-1 < 0);
ASSERT(sizeof(promise_verdict_t) == 4 && (promise_verdict_t)-1 < 0);
ASSERT(sizeof(promise_log_level_t) == 4 && (promise_log_level_t)-1 < 0);
ASSERT(sizeof(promise_kind_t) == 4 && (promise_kind_t)-1 > 0);
ASSERT(sizeof(promise_free_t) == POINTER && sizeof(promise_handler_t) == POINTER);
ASSERT(sizeof(promise_equal_t) == POINTER && sizeof(promise_describe_t) == POINTER);
ASSERT(sizeof(promise_callback_t) == POINTER && sizeof(promise_observer_t) == POINTER);

/* Contains no number twice, because the compiler rejects equal cases. So the library can reject at run time a state,
 * verdict, kind of event, flag or status that is passed in place of another. */
int is_number_of_one_constant(int number);
int is_number_of_one_constant(int number) {
  switch (number) {
#define CASE(name, value, text) case name:
    PROMISE_STATUSES(CASE)
#undef CASE
  case PROMISE_STATE_PENDING:
  case PROMISE_STATE_FULFILLED:
  case PROMISE_STATE_REJECTED:
  case PROMISE_VERDICT_FULFILL:
  case PROMISE_VERDICT_REJECT:
  case PROMISE_VERDICT_ADOPT:
  case PROMISE_VERDICT_PASS:
  case PROMISE_VERDICT_SKIP:
  case PROMISE_VERDICT_FINISH:
  case PROMISE_VERDICT_FAIL:
  case PROMISE_VERDICT_CANCEL:
  case PROMISE_EVENT_SETTLED:
  case PROMISE_EVENT_CALL:
  case PROMISE_EVENT_CANCEL:
  case PROMISE_EVENT_FREED:
  case PROMISE_EVENT_DROPPED:
  case PROMISE_EVENT_OBSOLETE:
  case PROMISE_PUBLISHER_STATEFUL:
  case PROMISE_COMBINE_CANCEL_OTHERS:
  case PROMISE_DISTINCT_ERRORS:
  case PROMISE_FORWARD_END:
  case PROMISE_TOKEN_INVALIDATE_ON_RELEASE:
  case PROMISE_CHAIN_CANCEL:
  case PROMISE_THROTTLE_FIRST:
  case PROMISE_JSON_LAST_WINS:
  case PROMISE_JSON_ASCII:
  case PROMISE_JSON_NONFINITE_NULL:
    return 1;
  default:
    return 0;
  }
}

ASSERT(PROMISE_ABI_VERSION == 1u);

ASSERT(PROMISE_OK == 0);
ASSERT(PROMISE_EINVAL == -1);
ASSERT(PROMISE_ESTALE == -2);
ASSERT(PROMISE_ESETTLED == -3);
ASSERT(PROMISE_EPENDING == -4);
ASSERT(PROMISE_ETIMEDOUT == -5);
ASSERT(PROMISE_EDEADLK == -6);
ASSERT(PROMISE_ENOMEM == -7);
ASSERT(PROMISE_ECLOSED == -8);
ASSERT(PROMISE_EFULL == -9);
ASSERT(PROMISE_EFINISHED == -10);
ASSERT(PROMISE_EINTR == -11);
ASSERT(PROMISE_EBUSY == -12);

ASSERT(PROMISE_EVENT_SETTLED == 32);
ASSERT(PROMISE_EVENT_CALL == 33);
ASSERT(PROMISE_EVENT_CANCEL == 34);
ASSERT(PROMISE_EVENT_FREED == 35);
ASSERT(PROMISE_EVENT_DROPPED == 36);
ASSERT(PROMISE_EVENT_OBSOLETE == 37);

ASSERT(PROMISE_STATE_PENDING == 1 && PROMISE_PENDING == 1);
ASSERT(PROMISE_STATE_FULFILLED == 2 && PROMISE_FULFILLED == 2);
ASSERT(PROMISE_STATE_REJECTED == 3 && PROMISE_REJECTED == 3);

ASSERT(PROMISE_VERDICT_FULFILL == 16 && PROMISE_FULFILL == 16);
ASSERT(PROMISE_VERDICT_REJECT == 17 && PROMISE_REJECT == 17);
ASSERT(PROMISE_VERDICT_ADOPT == 18 && PROMISE_ADOPT == 18);

ASSERT(PROMISE_KIND_VOID == 1);
ASSERT(PROMISE_KIND_BOOL == 2);
ASSERT(PROMISE_KIND_I64 == 3);
ASSERT(PROMISE_KIND_U64 == 4);
ASSERT(PROMISE_KIND_F64 == 5);
ASSERT(PROMISE_KIND_POINTER == 6);
ASSERT(PROMISE_KIND_STRING == 7);
ASSERT(PROMISE_KIND_BYTES == 8);
ASSERT(PROMISE_KIND_ARRAY == 9);
ASSERT(PROMISE_KIND_MAP == 10);
ASSERT(PROMISE_KIND_ERROR == 11);
ASSERT(PROMISE_KIND_DISCARDED == 12);
ASSERT(PROMISE_KIND_PROMISE == 13);
ASSERT(PROMISE_KIND_OBJECT == 14);

ASSERT(PROMISE_VERDICT_PASS == 19);
ASSERT(PROMISE_VERDICT_SKIP == 20);
ASSERT(PROMISE_VERDICT_FINISH == 21);
ASSERT(PROMISE_VERDICT_FAIL == 22);
ASSERT(PROMISE_VERDICT_CANCEL == 23);
ASSERT(PROMISE_COMBINE_CANCEL_OTHERS == 1 << 9);
ASSERT(PROMISE_TOKEN_INVALIDATE_ON_RELEASE == 1 << 12);
ASSERT(PROMISE_CHAIN_CANCEL == 1 << 13);
ASSERT(PROMISE_DISTINCT_ERRORS == 1 << 10);
ASSERT(PROMISE_FORWARD_END == 1 << 11);
ASSERT(PROMISE_THROTTLE_FIRST == 1 << 14);
ASSERT(PROMISE_FLATTEN_MERGE == 1 && PROMISE_FLATTEN_CONCAT == 2 && PROMISE_FLATTEN_LATEST == 3);

ASSERT(PROMISE_PUBLISHER_STATEFUL == 1 << 8);
ASSERT(PROMISE_OVERFLOW_BUFFER == 1);
ASSERT(PROMISE_OVERFLOW_DROP_OLDEST == 2);
ASSERT(PROMISE_OVERFLOW_DROP_NEWEST == 3);
ASSERT(PROMISE_OVERFLOW_FAIL == 4);

ASSERT(PROMISE_JSON_LAST_WINS == 1 << 16);
ASSERT(PROMISE_JSON_ASCII == 1 << 17);
ASSERT(PROMISE_JSON_NONFINITE_NULL == 1 << 18);

ASSERT(PROMISE_JSON_ESYNTAX == 1);
ASSERT(PROMISE_JSON_EENCODING == 2);
ASSERT(PROMISE_JSON_EDEPTH == 3);
ASSERT(PROMISE_JSON_EDUPLICATE == 4);
ASSERT(PROMISE_JSON_ERANGE == 5);
ASSERT(PROMISE_JSON_EUNSUPPORTED == 6);
ASSERT(PROMISE_JSON_ELENGTH == 7);

ASSERT(PROMISE_LOG_DEBUG == 1);
ASSERT(PROMISE_LOG_INFO == 2);
ASSERT(PROMISE_LOG_WARNING == 3);
ASSERT(PROMISE_LOG_ERROR == 4);

ASSERT(sizeof(promise_value_t) == 16);
FIELD(promise_value_t, kind, 0, 4);
FIELD(promise_value_t, reserved, 4, 4);
FIELD(promise_value_t, as, 8, 8);
FIELD(promise_value_t, as.b, 8, 1);
FIELD(promise_value_t, as.i64, 8, 8);
FIELD(promise_value_t, as.u64, 8, 8);
FIELD(promise_value_t, as.f64, 8, 8);
FIELD(promise_value_t, as.ptr, 8, POINTER);

/* This size never changes: programs have arrays of these structs, which the library fills. */
ASSERT(sizeof(promise_event_t) == 40 + POINTER);
FIELD(promise_event_t, kind, 0, 4);
FIELD(promise_event_t, state, 4, 4);
FIELD(promise_event_t, tag, 8, 8);
FIELD(promise_event_t, promise, 16, POINTER);
FIELD(promise_event_t, value, 16 + POINTER, 16);
FIELD(promise_event_t, reserved, 32 + POINTER, 8);

ASSERT(sizeof(promise_json_options_t) >= 24);
FIELD(promise_json_options_t, size, 0, 4);
FIELD(promise_json_options_t, flags, 4, 4);
FIELD(promise_json_options_t, max_depth, 8, 4);
FIELD(promise_json_options_t, indent, 12, 4);
FIELD(promise_json_options_t, max_length, 16, 8);

ASSERT(sizeof(promise_reaction_t) >= 8 + 7 * POINTER);
FIELD(promise_reaction_t, size, 0, 4);
FIELD(promise_reaction_t, reserved, 4, 4);
FIELD(promise_reaction_t, executor, 8, POINTER);
FIELD(promise_reaction_t, token, 8 + POINTER, POINTER);
FIELD(promise_reaction_t, on_fulfilled, 8 + 2 * POINTER, POINTER);
FIELD(promise_reaction_t, on_rejected, 8 + 3 * POINTER, POINTER);
FIELD(promise_reaction_t, type, 8 + 4 * POINTER, POINTER);
FIELD(promise_reaction_t, ctx, 8 + 5 * POINTER, POINTER);
FIELD(promise_reaction_t, free_ctx, 8 + 6 * POINTER, POINTER);

ASSERT(sizeof(promise_transform_t) >= 8 + 5 * POINTER);
FIELD(promise_transform_t, size, 0, 4);
FIELD(promise_transform_t, reserved, 4, 4);
FIELD(promise_transform_t, on_value, 8, POINTER);
FIELD(promise_transform_t, on_error, 8 + POINTER, POINTER);
FIELD(promise_transform_t, on_end, 8 + 2 * POINTER, POINTER);
FIELD(promise_transform_t, ctx, 8 + 3 * POINTER, POINTER);
FIELD(promise_transform_t, free_ctx, 8 + 4 * POINTER, POINTER);

ASSERT(sizeof(promise_subscription_t) >= 24 + 6 * POINTER);
FIELD(promise_subscription_t, size, 0, 4);
FIELD(promise_subscription_t, overflow, 4, 4);
FIELD(promise_subscription_t, capacity, 8, 8);
FIELD(promise_subscription_t, demand, 16, 8);
FIELD(promise_subscription_t, executor, 24, POINTER);
FIELD(promise_subscription_t, token, 24 + POINTER, POINTER);
FIELD(promise_subscription_t, on_value, 24 + 2 * POINTER, POINTER);
FIELD(promise_subscription_t, on_error, 24 + 3 * POINTER, POINTER);
FIELD(promise_subscription_t, ctx, 24 + 4 * POINTER, POINTER);
FIELD(promise_subscription_t, free_ctx, 24 + 5 * POINTER, POINTER);
ASSERT(sizeof(promise_hooks_t) >= 8 + 5 * POINTER);
FIELD(promise_hooks_t, size, 0, 4);
FIELD(promise_hooks_t, reserved, 4, 4);
FIELD(promise_hooks_t, unhandled_rejection, 8, POINTER);
FIELD(promise_hooks_t, settled_again, 8 + POINTER, POINTER);
FIELD(promise_hooks_t, dropped_pending, 8 + 2 * POINTER, POINTER);
FIELD(promise_hooks_t, ctx, 8 + 3 * POINTER, POINTER);
FIELD(promise_hooks_t, free_ctx, 8 + 4 * POINTER, POINTER);

ASSERT(sizeof(promise_statistics_t) >= 8 + 16 * 8);
FIELD(promise_statistics_t, size, 0, 4);
FIELD(promise_statistics_t, threads, 4, 4);
FIELD(promise_statistics_t, promises_pending, 8, 8);
FIELD(promise_statistics_t, promises_settled, 16, 8);
FIELD(promise_statistics_t, callbacks, 24, 8);
FIELD(promise_statistics_t, values, 32, 8);
FIELD(promise_statistics_t, executors, 40, 8);
FIELD(promise_statistics_t, jobs, 48, 8);
FIELD(promise_statistics_t, tokens, 56, 8);
FIELD(promise_statistics_t, gathers, 64, 8);
FIELD(promise_statistics_t, loops, 72, 8);
FIELD(promise_statistics_t, publishers, 80, 8);
FIELD(promise_statistics_t, subscribers, 88, 8);
FIELD(promise_statistics_t, queues, 96, 8);
FIELD(promise_statistics_t, types, 104, 8);
FIELD(promise_statistics_t, internals, 112, 8);
FIELD(promise_statistics_t, bytes_resident, 120, 8);
FIELD(promise_statistics_t, bytes_reusable, 128, 8);

ASSERT(PROMISE_TRACE_CREATED == 1);
ASSERT(PROMISE_TRACE_ATTACHED == 2);
ASSERT(PROMISE_TRACE_SETTLED == 3);
ASSERT(PROMISE_TRACE_BEGAN == 4);
ASSERT(PROMISE_TRACE_ENDED == 5);
ASSERT(PROMISE_TRACE_DROPPED == 6);
ASSERT(PROMISE_TRACE_FORMAT_PERFETTO == 1);
ASSERT(PROMISE_TRACE_FORMAT_GRAPHVIZ == 2);

ASSERT(sizeof(promise_trace_event_t) >= 48);
FIELD(promise_trace_event_t, size, 0, 4);
FIELD(promise_trace_event_t, kind, 4, 4);
FIELD(promise_trace_event_t, id, 8, 8);
FIELD(promise_trace_event_t, parent, 16, 8);
FIELD(promise_trace_event_t, executor, 24, 8);
FIELD(promise_trace_event_t, time_ns, 32, 8);
FIELD(promise_trace_event_t, thread, 40, 4);
FIELD(promise_trace_event_t, state, 44, 4);

ASSERT(sizeof(promise_trace_t) >= 16 + 3 * POINTER);
FIELD(promise_trace_t, size, 0, 4);
FIELD(promise_trace_t, reserved, 4, 4);
FIELD(promise_trace_t, capacity, 8, 8);
FIELD(promise_trace_t, event, 16, POINTER);
FIELD(promise_trace_t, ctx, 16 + POINTER, POINTER);
FIELD(promise_trace_t, free_ctx, 16 + 2 * POINTER, POINTER);

ASSERT(sizeof(promise_str_t) == 2 * POINTER);
FIELD(promise_str_t, data, 0, POINTER);
FIELD(promise_str_t, length, POINTER, sizeof(size_t));

ASSERT(sizeof(promise_bytes_t) == 2 * POINTER);
FIELD(promise_bytes_t, data, 0, POINTER);
FIELD(promise_bytes_t, length, POINTER, sizeof(size_t));

ASSERT(sizeof(promise_host_t) >= 8 + 7 * POINTER);
FIELD(promise_host_t, size, 0, 4);
FIELD(promise_host_t, abi, 4, 4);
FIELD(promise_host_t, log, 8, POINTER);
FIELD(promise_host_t, progress, 8 + POINTER, POINTER);
FIELD(promise_host_t, call, 8 + 2 * POINTER, POINTER);
FIELD(promise_host_t, allocate, 8 + 3 * POINTER, POINTER);
FIELD(promise_host_t, deallocate, 8 + 4 * POINTER, POINTER);
FIELD(promise_host_t, configuration, 8 + 5 * POINTER, POINTER);
FIELD(promise_host_t, function, 8 + 6 * POINTER, POINTER);

ASSERT(sizeof(promise_plugin_function_t) >= 3 * POINTER);
FIELD(promise_plugin_function_t, signature, 0, POINTER);
FIELD(promise_plugin_function_t, entry, POINTER, POINTER);
FIELD(promise_plugin_function_t, description, 2 * POINTER, POINTER);

ASSERT(sizeof(promise_plugin_t) >= 16 + 8 * POINTER);
FIELD(promise_plugin_t, size, 0, 4);
FIELD(promise_plugin_t, abi_min, 4, 4);
FIELD(promise_plugin_t, abi_max, 8, 4);
FIELD(promise_plugin_t, function_size, 12, 4);
FIELD(promise_plugin_t, id, 16, POINTER);
FIELD(promise_plugin_t, version, 16 + POINTER, POINTER);
FIELD(promise_plugin_t, description, 16 + 2 * POINTER, POINTER);
FIELD(promise_plugin_t, required, 16 + 3 * POINTER, POINTER);
FIELD(promise_plugin_t, load, 16 + 4 * POINTER, POINTER);
FIELD(promise_plugin_t, unload, 16 + 5 * POINTER, POINTER);
FIELD(promise_plugin_t, functions, 16 + 6 * POINTER, POINTER);
FIELD(promise_plugin_t, function_count, 16 + 7 * POINTER, sizeof(size_t));
FIELD(promise_plugin_t, layouts, 16 + 8 * POINTER, POINTER);
FIELD(promise_plugin_t, layout_count, 16 + 9 * POINTER, sizeof(size_t));

ASSERT(sizeof(promise_layout_t) == POINTER + 2 * sizeof(size_t));
FIELD(promise_layout_t, path, 0, POINTER);
FIELD(promise_layout_t, offset, POINTER, sizeof(size_t));
FIELD(promise_layout_t, size, POINTER + sizeof(size_t), sizeof(size_t));
