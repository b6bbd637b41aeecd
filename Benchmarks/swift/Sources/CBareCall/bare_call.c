#include "bare_call.h"

#include <ffi.h>
#include <stdlib.h>

static int32_t add(int32_t left, int32_t right) {
  return left + right;
}

int64_t bare_calls(long count) {
  ffi_cif interface;
  ffi_type *types[2] = {&ffi_type_sint32, &ffi_type_sint32};
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 2, &ffi_type_sint32, types) != FFI_OK)
    abort();
  int32_t left = 0, right = 1;
  void *arguments[2] = {&left, &right};
  int64_t sum = 0;
  for (long i = 0; i < count; i++) {
    ffi_arg result;
    left = (int32_t)i;
    ffi_call(&interface, FFI_FN(add), &result, arguments);
    sum += (int32_t)result;
  }
  return sum;
}

struct text {
  const char *data;
  size_t length;
};

static uint64_t length(struct text text) {
  return text.length;
}

int64_t bare_text_calls(long count) {
  ffi_cif interface;
  ffi_type *words[] = {&ffi_type_pointer, &ffi_type_uint64, NULL};
  ffi_type text_type = {0, 0, FFI_TYPE_STRUCT, words};
  ffi_type *types[] = {&text_type};
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 1, &ffi_type_uint64, types) != FFI_OK)
    abort();
  struct text text = {"text", 0};
  void *arguments[] = {&text};
  int64_t sum = 0;
  for (long i = 0; i < count; i++) {
    ffi_arg result;
    text.length = (size_t)i;
    ffi_call(&interface, FFI_FN(length), &result, arguments);
    sum += (int64_t)result;
  }
  return sum;
}

struct point {
  double x, y, z;
};

static struct point middle(struct point left, struct point right) {
  return (struct point){(left.x + right.x) / 2, (left.y + right.y) / 2, (left.z + right.z) / 2};
}

double bare_struct_calls(long count) {
  ffi_cif interface;
  ffi_type *numbers[] = {&ffi_type_double, &ffi_type_double, &ffi_type_double, NULL};
  ffi_type point_type = {0, 0, FFI_TYPE_STRUCT, numbers};
  ffi_type *types[] = {&point_type, &point_type};
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 2, &point_type, types) != FFI_OK)
    abort();
  struct point left = {0, 1, 2}, right = {1, 2, 3}, result;
  void *arguments[] = {&left, &right};
  double sum = 0;
  for (long i = 0; i < count; i++) {
    left.x = (double)i;
    ffi_call(&interface, FFI_FN(middle), &result, arguments);
    sum += result.x;
  }
  return sum;
}
