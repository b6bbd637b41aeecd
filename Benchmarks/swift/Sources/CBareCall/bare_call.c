#include "bare_call.h"

#include <dlfcn.h>
#include <ffi.h>
#include <stdlib.h>

typedef struct {
  const char *data;
  size_t length;
} text_t;

typedef struct {
  double x, y;
} point_t;

static int32_t (*add)(int32_t, int32_t);
static uint64_t (*length_of)(text_t);
static point_t (*middle)(point_t, point_t);
static int32_t (*apply)(int32_t (*)(int32_t), int32_t);

static int32_t same(int32_t number) {
  return number;
}

static void same_closure(ffi_cif *interface, void *result, void **arguments, void *context) {
  (void)interface;
  (void)context;
  *(ffi_arg *)result = (ffi_arg)(ffi_sarg) * (int32_t *)arguments[0];
}

/* The prepared interfaces of libffi, created once. */
static ffi_type *text_parts[] = {&ffi_type_pointer, &ffi_type_uint64, NULL};
static ffi_type *point_parts[] = {&ffi_type_double, &ffi_type_double, NULL};
static ffi_type text_type = {0, 0, FFI_TYPE_STRUCT, text_parts};
static ffi_type point_type = {0, 0, FFI_TYPE_STRUCT, point_parts};
static ffi_type *int_types[] = {&ffi_type_sint32, &ffi_type_sint32};
static ffi_type *text_types[] = {&text_type};
static ffi_type *struct_types[] = {&point_type, &point_type};
static ffi_type *callback_types[] = {&ffi_type_pointer, &ffi_type_sint32};
static ffi_cif interfaces[4], closure_interface;
static void *closure_code;

static void prepare(ffi_cif *interface, unsigned count, ffi_type *result, ffi_type **types) {
  if (ffi_prep_cif(interface, FFI_DEFAULT_ABI, count, result, types) != FFI_OK)
    abort();
}

bool bare_open(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return false;
  *(void **)&add = dlsym(library, "add");
  *(void **)&length_of = dlsym(library, "length_of");
  *(void **)&middle = dlsym(library, "middle");
  *(void **)&apply = dlsym(library, "apply");
  prepare(&interfaces[BARE_INT], 2, &ffi_type_sint32, int_types);
  prepare(&interfaces[BARE_TEXT], 1, &ffi_type_uint64, text_types);
  prepare(&interfaces[BARE_STRUCT], 2, &point_type, struct_types);
  prepare(&interfaces[BARE_CALLBACK], 2, &ffi_type_sint32, callback_types);
  prepare(&closure_interface, 1, &ffi_type_sint32, int_types);
  ffi_closure *closure = ffi_closure_alloc(sizeof *closure, &closure_code);
  if (!closure || ffi_prep_closure_loc(closure, &closure_interface, same_closure, NULL, closure_code) != FFI_OK)
    abort();
  return add && length_of && middle && apply;
}

static double direct(bare_function_t function, long count) {
  double sum = 0;
  text_t text = {"twelve bytes", 12};
  for (long i = 0; i < count; i++)
    switch (function) {
    case BARE_INT:
      sum += add((int32_t)i, 1);
      break;
    case BARE_TEXT:
      sum += (double)length_of(text);
      break;
    case BARE_STRUCT:
      sum += middle((point_t){(double)i, 0}, (point_t){2, 4}).x;
      break;
    case BARE_CALLBACK:
      sum += apply(same, (int32_t)i);
      break;
    }
  return sum;
}

static double through_ffi(bare_function_t function, long count) {
  ffi_cif *interface = &interfaces[function];
  double sum = 0;
  int32_t left = 0, right = 1;
  text_t text = {"twelve bytes", 12};
  point_t from = {0, 0}, to = {2, 4}, point;
  void *int_values[] = {&left, &right}, *text_values[] = {&text}, *struct_values[] = {&from, &to},
       *callback_values[] = {&closure_code, &left};
  ffi_arg result;
  for (long i = 0; i < count; i++)
    switch (function) {
    case BARE_INT:
      left = (int32_t)i;
      ffi_call(interface, FFI_FN(add), &result, int_values);
      sum += (int32_t)result;
      break;
    case BARE_TEXT:
      ffi_call(interface, FFI_FN(length_of), &result, text_values);
      sum += (double)result;
      break;
    case BARE_STRUCT:
      from.x = (double)i;
      ffi_call(interface, FFI_FN(middle), &point, struct_values);
      sum += point.x;
      break;
    case BARE_CALLBACK:
      left = (int32_t)i;
      ffi_call(interface, FFI_FN(apply), &result, callback_values);
      sum += (int32_t)result;
      break;
    }
  return sum;
}

double bare_calls(bare_function_t function, bare_way_t way, long count) {
  return way == BARE_DIRECT ? direct(function, count) : through_ffi(function, count);
}
