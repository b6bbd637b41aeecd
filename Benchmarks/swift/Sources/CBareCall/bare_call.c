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
