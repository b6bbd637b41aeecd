/* A plugin with its compiler's layout of the structs of its signatures; -DDEFECT=... changes one number. */
#include "fixture.h"

#ifndef PACKED
#define PACKED
#endif

struct PACKED inner {
  uint8_t kind;
  double weight;
};

struct record {
  uint16_t id;
  struct inner inner;
  float values[3];
};

struct records {
  const struct record *data;
  size_t length;
};

static struct inner heaviest(struct records records) {
  struct inner found = {0, 0};
  for (size_t i = 0; i < records.length; i++)
    if (records.data[i].inner.weight > found.weight)
      found = records.data[i].inner;
  return found;
}

static const promise_plugin_function_t functions[] = {
    FUNCTION("heaviest(records: &[{id: u16, inner: {kind: u8, weight: f64}, values: [f32; 3]}]) -> "
             "{kind: u8, weight: f64}",
             heaviest),
};

const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
  static promise_layout_t layouts[] = {
      PROMISE_LAYOUT("heaviest.records", struct record, id, inner, values),
      PROMISE_LAYOUT("heaviest.records.inner", struct inner, kind, weight),
      PROMISE_LAYOUT("heaviest.result", struct inner, kind, weight),
  };
  static promise_plugin_t plugin =
      DESCRIPTOR("test.layout", .layouts = layouts, .layout_count = sizeof layouts / sizeof layouts[0]);
  (void)host_abi;
#ifdef DEFECT
  DEFECT;
#endif
  return &plugin;
}
