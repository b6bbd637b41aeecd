import CPromise

/// The functions of promise.h by their names, for plugins that do not link the library.
enum PromiseFunctions {
  static func named(_ name: String) -> promise_function_t? { all[name] }

  private typealias Status = promise_status_t
  private typealias Handle = OpaquePointer
  private typealias Value = UnsafePointer<promise_value_t>
  private typealias Output = UnsafeMutablePointer<promise_value_t>
  private typealias Text = UnsafePointer<CChar>
  private typealias Memory = UnsafeMutableRawPointer
  private typealias Observer = @convention(c) (Memory?, Value) -> Void
  private typealias Submit = @convention(c) (Memory?, OpaquePointer) -> Void
  private typealias Discard = @convention(c) (Memory?) -> Void

  private typealias OfHandle = @convention(c) (Handle?) -> Status
  private typealias Gather = @convention(c) (UnsafePointer<Handle?>?, Int, UInt32) -> Handle?
  private typealias Settle = @convention(c) (Handle?, Value?) -> Status
  private typealias Attach = @convention(c) (Handle?, promise_handler_t?, Memory?, promise_free_t?) -> Handle?

  private typealias FromJSON =
    @convention(c) (Output?, Text?, Int, UnsafePointer<promise_json_options_t>?, Output?) -> Status
  private typealias ToJSON = @convention(c) (Output?, Value?, UnsafePointer<promise_json_options_t>?, Output?) -> Status

  private static let all: [String: promise_function_t] = [
    "promise_version": address(promise_version as @convention(c) () -> Text),
    "promise_abi_version": address(promise_abi_version as @convention(c) () -> UInt32),
    "promise_status_name": address(promise_status_name as @convention(c) (Status) -> Text),
    "promise_last_status": address(promise_last_status as @convention(c) () -> Status),

    "promise_value_retain": address(promise_value_retain as @convention(c) (Value?) -> Status),
    "promise_value_release": address(promise_value_release as @convention(c) (Output?) -> Status),
    "promise_value_string": address(promise_value_string as @convention(c) (Output?, Text?, Int) -> Status),
    "promise_value_bytes": address(promise_value_bytes as @convention(c) (Output?, UnsafeRawPointer?, Int) -> Status),
    "promise_value_error_sized": address(
      promise_value_error_sized as @convention(c) (Output?, Text?, Int, Int64, Text?, Int) -> Status),
    "promise_value_error": address(promise_value_error as @convention(c) (Output?, Text?, Int64, Text?) -> Status),
    "promise_value_object_with": address(
      promise_value_object_with as @convention(c) (Output?, Handle?, Memory?, Memory?, promise_free_t?) -> Status),
    "promise_value_void": address(promise_value_void as @convention(c) (Output?) -> Status),
    "promise_value_bool": address(promise_value_bool as @convention(c) (Output?, Bool) -> Status),
    "promise_value_i64": address(promise_value_i64 as @convention(c) (Output?, Int64) -> Status),
    "promise_value_u64": address(promise_value_u64 as @convention(c) (Output?, UInt64) -> Status),
    "promise_value_f64": address(promise_value_f64 as @convention(c) (Output?, Double) -> Status),
    "promise_value_pointer": address(promise_value_pointer as @convention(c) (Output?, Memory?) -> Status),
    "promise_value_promise": address(promise_value_promise as @convention(c) (Output?, Handle?) -> Status),
    "promise_value_object": address(promise_value_object as @convention(c) (Output?, Handle?, Memory?) -> Status),
    "promise_value_data": address(promise_value_data as @convention(c) (Value?, UnsafeMutablePointer<Int>?) -> Text?),
    "promise_value_domain": address(promise_value_domain as @convention(c) (Value?) -> Text?),
    "promise_value_code": address(promise_value_code as @convention(c) (Value?) -> Int64),
    "promise_value_bytes_foreign": address(
      promise_value_bytes_foreign
        as @convention(c) (Output?, UnsafeRawPointer?, Int, Memory?, promise_free_t?) -> Status),
    "promise_value_error_from": address(
      promise_value_error_from as @convention(c) (Output?, Text?, Int64, Text?, Text?, Value?) -> Status),
    "promise_value_origin": address(promise_value_origin as @convention(c) (Value?) -> Text?),
    "promise_value_cause": address(promise_value_cause as @convention(c) (Value?) -> Value?),
    "promise_value_array": address(promise_value_array as @convention(c) (Output?, Value?, Int) -> Status),
    "promise_value_map": address(
      promise_value_map
        as @convention(c) (Output?, UnsafePointer<Text?>?, UnsafePointer<Int>?, Value?, Int) -> Status),
    "promise_value_count": address(promise_value_count as @convention(c) (Value?) -> Int),
    "promise_value_at": address(promise_value_at as @convention(c) (Value?, Int) -> Value?),
    "promise_value_key": address(
      promise_value_key as @convention(c) (Value?, Int, UnsafeMutablePointer<Int>?) -> Text?),
    "promise_value_find": address(promise_value_find as @convention(c) (Value?, Text?, Int) -> Value?),
    "promise_value_equal": address(
      promise_value_equal as @convention(c) (Value?, Value?, UnsafeMutablePointer<Bool>?) -> Status),
    "promise_value_describe": address(
      promise_value_describe as @convention(c) (Value?, UnsafeMutablePointer<CChar>?, Int) -> Int),
    "promise_value_from_json": address(promise_value_from_json as FromJSON),
    "promise_value_to_json": address(promise_value_to_json as ToJSON),

    "promise_builder_new": address(promise_builder_new as @convention(c) (promise_kind_t, Int) -> Handle?),
    "promise_builder_from": address(promise_builder_from as @convention(c) (Value?) -> Handle?),
    "promise_builder_add": address(promise_builder_add as Settle),
    "promise_builder_set": address(
      promise_builder_set as @convention(c) (Handle?, Text?, Int, Value?) -> Status),
    "promise_builder_append": address(
      promise_builder_append as @convention(c) (Handle?, UnsafeRawPointer?, Int) -> Status),
    "promise_builder_room": address(promise_builder_room as @convention(c) (Handle?, Int) -> Memory?),
    "promise_builder_advance": address(promise_builder_advance as @convention(c) (Handle?, Int) -> Status),
    "promise_builder_count": address(promise_builder_count as @convention(c) (Handle?) -> Int64),
    "promise_builder_finish": address(promise_builder_finish as @convention(c) (Handle?, Output?) -> Status),
    "promise_builder_drop": address(promise_builder_drop as OfHandle),

    "promise_value_is": address(promise_value_is as @convention(c) (Value?, Handle?) -> Bool),
    "promise_value_type": address(promise_value_type as @convention(c) (Value?) -> Handle?),

    "promise_type_register": address(
      promise_type_register as @convention(c) (Text?, Handle?, promise_free_t?) -> Handle?),
    "promise_type_named": address(promise_type_named as @convention(c) (Text?) -> Handle?),
    "promise_type_methods": address(
      promise_type_methods as @convention(c) (Handle?, promise_equal_t?, promise_describe_t?) -> Status),
    "promise_type_name": address(promise_type_name as @convention(c) (Handle?) -> Text?),

    "promise_new_resolved": address(promise_new_resolved as @convention(c) (Value?) -> Handle?),
    "promise_new_rejected": address(promise_new_rejected as @convention(c) (Value?) -> Handle?),
    "promise_new": address(promise_new as @convention(c) () -> Handle?),
    "promise_new_discardable": address(
      promise_new_discardable as @convention(c) (Discard?, Memory?, promise_free_t?) -> Handle?),
    "promise_retain": address(promise_retain as OfHandle),
    "promise_release": address(promise_release as OfHandle),
    "promise_resolve": address(promise_resolve as Settle),
    "promise_resolve_many": address(
      promise_resolve_many
        as @convention(c) (
          UnsafePointer<Handle?>?, UnsafePointer<promise_value_t>?, Int, UnsafeMutablePointer<Status>?
        ) -> Status),
    "promise_reject": address(promise_reject as Settle),
    "promise_discard_with": address(promise_discard_with as Settle),
    "promise_discard": address(promise_discard as OfHandle),
    "promise_state": address(promise_state as OfHandle),
    "promise_result": address(promise_result as @convention(c) (Handle?, Output?) -> Status),
    "promise_wait_any": address(
      promise_wait_any as @convention(c) (UnsafePointer<Handle?>?, Int, Int64, UnsafeMutablePointer<Int>?) -> Status),
    "promise_wait": address(promise_wait as @convention(c) (Handle?, Int64) -> Status),
    "promise_wait_interruptible": address(
      promise_wait_interruptible as @convention(c) (Handle?, Int64) -> Status),

    "promise_then": address(promise_then as Attach),
    "promise_rescue": address(
      promise_rescue as @convention(c) (Handle?, Handle?, promise_handler_t?, Memory?, promise_free_t?) -> Handle?),
    "promise_observe": address(
      promise_observe as @convention(c) (Handle?, Observer?, Observer?, Memory?, promise_free_t?) -> Status),
    "promise_react": address(
      promise_react as @convention(c) (Handle?, UnsafePointer<promise_reaction_t>?) -> Handle?),

    "promise_finally": address(
      promise_finally as @convention(c) (Handle?, promise_free_t?, Memory?, promise_free_t?) -> Handle?),
    "promise_tap": address(
      promise_tap as @convention(c) (Handle?, Observer?, Observer?, Memory?, promise_free_t?) -> Status),
    "promise_follow": address(promise_follow as @convention(c) (Handle?, Handle?) -> Status),

    "promise_request_cancel": address(promise_request_cancel as Settle),
    "promise_cancel_requested": address(promise_cancel_requested as OfHandle),
    "promise_on_cancel_request": address(
      promise_on_cancel_request as @convention(c) (Handle?, Observer?, Memory?, promise_free_t?) -> Status),
    "promise_seal": address(promise_seal as OfHandle),
    "promise_value_discarded": address(promise_value_discarded as @convention(c) (Output?, Value?) -> Status),
    "promise_token_new": address(promise_token_new as @convention(c) (UInt32) -> Handle?),
    "promise_token_retain": address(promise_token_retain as OfHandle),
    "promise_token_release": address(promise_token_release as OfHandle),
    "promise_token_invalidate": address(promise_token_invalidate as Settle),
    "promise_token_cancel": address(promise_token_cancel as Settle),
    "promise_token_add": address(promise_token_add as @convention(c) (Handle?, Handle?) -> Status),
    "promise_token_chain": address(promise_token_chain as @convention(c) (Handle?, Handle?, UInt32) -> Status),
    "promise_token_set_deadline": address(
      promise_token_set_deadline as @convention(c) (Handle?, Handle?, Int64) -> Status),
    "promise_token_deadline": address(promise_token_deadline as @convention(c) (Handle?) -> Int64),
    "promise_token_is_cancelled": address(promise_token_is_cancelled as @convention(c) (Handle?) -> Int32),
    "promise_token_generation": address(promise_token_generation as @convention(c) (Handle?) -> Int64),

    "promise_all": address(promise_all as Gather),
    "promise_all_settled": address(promise_all_settled as Gather),
    "promise_any": address(promise_any as Gather),
    "promise_race": address(promise_race as Gather),

    "promise_executor_new": address(
      promise_executor_new as @convention(c) (Submit?, Memory?, promise_free_t?) -> Handle?),
    "promise_executor_immediate": address(promise_executor_immediate as @convention(c) () -> Handle?),
    "promise_executor_global": address(promise_executor_global as @convention(c) (promise_priority_t) -> Handle?),
    "promise_executor_serial": address(promise_executor_serial as @convention(c) (Handle?) -> Handle?),
    "promise_executor_main": address(promise_executor_main as @convention(c) () -> Handle?),
    "promise_executor_set_main": address(promise_executor_set_main as OfHandle),
    "promise_is_main_thread": address(promise_is_main_thread as @convention(c) () -> Bool),
    "promise_executor_submit": address(
      promise_executor_submit as @convention(c) (Handle?, Discard?, Memory?, promise_free_t?) -> Status),
    "promise_run": address(promise_run as Attach),
    "promise_executor_is_current": address(promise_executor_is_current as @convention(c) (Handle?) -> Int32),
    "promise_executor_retain": address(promise_executor_retain as OfHandle),
    "promise_executor_release": address(promise_executor_release as OfHandle),
    "promise_job_run": address(promise_job_run as OfHandle),
    "promise_job_drop": address(promise_job_drop as OfHandle),

    "promise_set_thread_hooks": address(
      promise_set_thread_hooks as @convention(c) (Discard?, Discard?, Memory?, promise_free_t?) -> Status),

    "promise_now": address(promise_now as @convention(c) () -> Int64),
    "promise_sleep": address(promise_sleep as @convention(c) (Int64) -> Handle?),
    "promise_sleep_on": address(promise_sleep_on as @convention(c) (Handle?, Int64) -> Handle?),
    "promise_delay": address(promise_delay as @convention(c) (Handle?, Int64) -> Handle?),
    "promise_delay_on": address(promise_delay_on as @convention(c) (Handle?, Handle?, Int64) -> Handle?),
    "promise_timeout": address(promise_timeout as @convention(c) (Handle?, Int64) -> Handle?),
    "promise_timeout_on": address(promise_timeout_on as @convention(c) (Handle?, Handle?, Int64) -> Handle?),

    "promise_queue_new": address(promise_queue_new as @convention(c) () -> Handle?),
    "promise_queue_retain": address(promise_queue_retain as OfHandle),
    "promise_queue_release": address(promise_queue_release as OfHandle),
    "promise_queue_free": address(promise_queue_free as OfHandle),
    "promise_queue_fd": address(promise_queue_fd as OfHandle),
    "promise_queue_watch": address(promise_queue_watch as @convention(c) (Handle?, Handle?, UInt64) -> Status),
    "promise_queue_tap": address(promise_queue_tap as @convention(c) (Handle?, Handle?, UInt64) -> Status),
    "promise_queue_unwatch": address(promise_queue_unwatch as @convention(c) (Handle?, UInt64) -> Int64),
    "promise_queue_then": address(promise_queue_then as @convention(c) (Handle?, Handle?, UInt64) -> Handle?),
    "promise_queue_on_cancel": address(promise_queue_on_cancel as @convention(c) (Handle?, Handle?, UInt64) -> Status),
    "promise_queue_object": address(
      promise_queue_object as @convention(c) (Handle?, Output?, Handle?, UInt64) -> Status),
    "promise_queue_take": address(
      promise_queue_take as @convention(c) (Handle?, UnsafeMutablePointer<promise_event_t>?, Int, Int64) -> Int64),
    "promise_queue_answer": address(
      promise_queue_answer as @convention(c) (UnsafeMutablePointer<promise_event_t>?, Int) -> Status),

    "promise_loop_new": address(promise_loop_new as @convention(c) () -> Handle?),
    "promise_loop_main": address(promise_loop_main as @convention(c) () -> Handle?),
    "promise_loop_retain": address(promise_loop_retain as OfHandle),
    "promise_loop_release": address(promise_loop_release as OfHandle),
    "promise_loop_is_current": address(promise_loop_is_current as OfHandle),
    "promise_loop_fd": address(promise_loop_fd as OfHandle),
    "promise_loop_executor": address(promise_loop_executor as @convention(c) (Handle?) -> Handle?),
    "promise_loop_run_once": address(promise_loop_run_once as @convention(c) (Handle?) -> Int64),
    "promise_loop_run": address(promise_loop_run as @convention(c) (Handle?, Int64) -> Status),
    "promise_loop_wait": address(promise_loop_wait as @convention(c) (Handle?, Handle?, Int64) -> Status),
    "promise_loop_stop": address(promise_loop_stop as OfHandle),

    "promise_publisher_new": address(promise_publisher_new as @convention(c) (UInt32) -> Handle?),
    "promise_publisher_every": address(promise_publisher_every as @convention(c) (Handle?, Int64) -> Handle?),
    "promise_publisher_retain": address(promise_publisher_retain as OfHandle),
    "promise_publisher_release": address(promise_publisher_release as OfHandle),
    "promise_publisher_publish": address(promise_publisher_publish as Settle),
    "promise_publisher_publish_error": address(promise_publisher_publish_error as Settle),
    "promise_publisher_finish": address(promise_publisher_finish as OfHandle),
    "promise_publisher_fail": address(promise_publisher_fail as Settle),
    "promise_publisher_cancel": address(promise_publisher_cancel as OfHandle),
    "promise_publisher_state": address(promise_publisher_state as OfHandle),
    "promise_publisher_latest": address(promise_publisher_latest as @convention(c) (Handle?, Output?) -> Status),
    "promise_publisher_count": address(promise_publisher_count as @convention(c) (Handle?) -> Int64),
    "promise_publisher_ready": address(promise_publisher_ready as @convention(c) (Handle?) -> Handle?),
    "promise_publisher_subscribe": address(
      promise_publisher_subscribe as @convention(c) (Handle?, UnsafePointer<promise_subscription_t>?) -> Handle?),
    "promise_publisher_transform": address(
      promise_publisher_transform as @convention(c) (Handle?, UnsafePointer<promise_transform_t>?) -> Handle?),
    "promise_publisher_distinct": address(promise_publisher_distinct as @convention(c) (Handle?, UInt32) -> Handle?),
    "promise_publisher_window": address(promise_publisher_window as @convention(c) (Handle?, Int) -> Handle?),
    "promise_publisher_buffer": address(promise_publisher_buffer as @convention(c) (Handle?, Int) -> Handle?),
    "promise_publisher_scan": address(
      promise_publisher_scan as @convention(c) (Handle?, Value?, promise_fold_t?, Memory?, promise_free_t?) -> Handle?),
    "promise_publisher_reduce": address(
      promise_publisher_reduce as @convention(c) (Handle?, Value?, promise_fold_t?, Memory?, promise_free_t?) -> Handle?
    ),
    "promise_publisher_take": address(promise_publisher_take as @convention(c) (Handle?, UInt64) -> Handle?),
    "promise_publisher_stateful": address(promise_publisher_stateful as @convention(c) (Handle?) -> Handle?),
    "promise_publisher_replay": address(promise_publisher_replay as @convention(c) (Handle?, Int) -> Handle?),
    "promise_publisher_start_with": address(
      promise_publisher_start_with as @convention(c) (Handle?, Value?) -> Handle?),
    "promise_publisher_merge": address(
      promise_publisher_merge as @convention(c) (UnsafePointer<Handle?>?, Int) -> Handle?),
    "promise_publisher_combine_latest": address(
      promise_publisher_combine_latest as @convention(c) (UnsafePointer<Handle?>?, Int) -> Handle?),
    "promise_publisher_zip": address(
      promise_publisher_zip as @convention(c) (UnsafePointer<Handle?>?, Int) -> Handle?),
    "promise_publisher_flat_map": address(
      promise_publisher_flat_map
        as @convention(c) (Handle?, promise_flatten_t, promise_inner_t?, Memory?, promise_free_t?) -> Handle?),
    "promise_publisher_retry": address(
      promise_publisher_retry as @convention(c) (UInt64, promise_inner_t?, Memory?, promise_free_t?) -> Handle?),
    "promise_publisher_debounce": address(
      promise_publisher_debounce as @convention(c) (Handle?, Handle?, Int64) -> Handle?),
    "promise_publisher_throttle": address(
      promise_publisher_throttle as @convention(c) (Handle?, Handle?, Int64, UInt32) -> Handle?),
    "promise_publisher_timeout": address(
      promise_publisher_timeout as @convention(c) (Handle?, Handle?, Int64) -> Handle?),
    "promise_publisher_of": address(promise_publisher_of as @convention(c) (Handle?) -> Handle?),
    "promise_publisher_forward": address(
      promise_publisher_forward as @convention(c) (Handle?, Handle?, UInt32) -> Handle?),
    "promise_subscriber_retain": address(promise_subscriber_retain as OfHandle),
    "promise_subscriber_release": address(promise_subscriber_release as OfHandle),
    "promise_subscriber_request": address(promise_subscriber_request as @convention(c) (Handle?, UInt64) -> Status),
    "promise_subscriber_cancel": address(promise_subscriber_cancel as OfHandle),
    "promise_subscriber_next": address(promise_subscriber_next as @convention(c) (Handle?) -> Handle?),
    "promise_subscriber_end": address(promise_subscriber_end as @convention(c) (Handle?) -> Handle?),
    "promise_subscriber_dropped": address(promise_subscriber_dropped as @convention(c) (Handle?) -> Int64),
    "promise_set_hooks": address(
      promise_set_hooks as @convention(c) (UnsafePointer<promise_hooks_t>?) -> Status),
    "promise_dump": address(promise_dump as @convention(c) (Int32) -> Status),
    "promise_dump_lines": address(
      promise_dump_lines as @convention(c) ((@convention(c) (Memory?, Text, Int) -> Void)?, Memory?) -> Status),
    "promise_trace_start": address(
      promise_trace_start as @convention(c) (UnsafePointer<promise_trace_t>?) -> Status),
    "promise_trace_stop": address(promise_trace_stop as @convention(c) () -> Status),
    "promise_trace_write": address(promise_trace_write as @convention(c) (Int32, UInt32) -> Status),
    "promise_statistics": address(
      promise_statistics as @convention(c) (UnsafeMutablePointer<promise_statistics_t>?) -> Status),
    "promise_trim": address(promise_trim as @convention(c) () -> Int64),
  ]

  /// Casts a function to the type for any prototype.
  private static func address<Function>(_ function: Function) -> promise_function_t {
    unsafeBitCast(function, to: promise_function_t.self)
  }
}
