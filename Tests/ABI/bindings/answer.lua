local ffi = require("ffi")
ffi.cdef(assert(io.open(arg[1])):read("*a"))
local library = ffi.load(arg[2])
local promise = library.promise_new()
local value = ffi.new("promise_value_t")
value.kind = library.PROMISE_KIND_I64
value.as.i64 = 42
assert(library.promise_resolve(promise, value) == library.PROMISE_OK)
assert(library.promise_result(promise, value) == library.PROMISE_OK)
assert(library.promise_abi_version() == library.PROMISE_ABI_VERSION)
assert(library.promise_release(promise) == library.PROMISE_OK)
print(tonumber(value.as.i64))
