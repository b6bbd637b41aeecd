import sys

import cffi

ffi = cffi.FFI()
with open(sys.argv[1], encoding="utf-8") as cdef:
    ffi.cdef(cdef.read())
library = ffi.dlopen(sys.argv[2])
promise = library.promise_new()
value = ffi.new("promise_value_t *")
value.kind = library.PROMISE_KIND_I64
getattr(value, "as").i64 = 42
assert library.promise_resolve(promise, value) == library.PROMISE_OK
assert library.promise_result(promise, value) == library.PROMISE_OK
text, length = ffi.new("promise_value_t *"), ffi.new("size_t *")
assert library.promise_value_bytes(text, b"a\0b", 3) == library.PROMISE_OK
assert bytes(ffi.buffer(library.promise_value_data(text, length), length[0])) == b"a\0b"
assert library.promise_value_release(text) == library.PROMISE_OK
assert library.promise_abi_version() == library.PROMISE_ABI_VERSION
assert library.promise_release(promise) == library.PROMISE_OK
print(getattr(value, "as").i64)
