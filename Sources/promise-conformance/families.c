#include "families.h"

#include <stddef.h>

const family_t families[] = {
    {"version", version_checks},   {"status", status_checks},
    {"value", value_checks},       {"value", object_checks},
    {"error", error_checks},       {"collection", collection_checks},
    {"builder", builder_checks},   {"inspect", inspect_checks},
    {"json", json_checks},         {"type", type_checks},
    {"core", settle_checks},       {"core", lifetime_checks},
    {"core", discard_checks},      {"core", wait_checks},
    {"cancel", cancel_checks},     {"cancel", token_checks},
    {"callback", callback_checks}, {"callback", order_checks},
    {"callback", context_checks},  {"callback", adopt_checks},
    {"callback", observer_checks}, {"callback", react_checks},
    {"callback", follow_checks},   {"combine", combine_checks},
    {"executor", executor_checks}, {"executor", pool_checks},
    {"loop", loop_checks},         {"loop", loop_end_checks},
    {"timer", timer_checks},       {"queue", queue_checks},
    {"queue", call_checks},        {"stream", stream_checks},
    {"operator", operator_checks}, {"timing", timing_checks},
    {"observe", observe_checks},   {"handles", handle_checks},
    {"threads", thread_checks},    {"scalar", scalar_checks},
    {"runtime", runtime_checks},   {NULL, NULL},
};
