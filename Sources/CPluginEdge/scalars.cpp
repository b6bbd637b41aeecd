// Scalar arguments in the x86-64 calling convention: integers in six registers, floating-point numbers in eight, and
// the rest on the stack, a word each.

#include "thunk.hpp"

#include <cstdlib>

#if PLUGIN_THUNK_HAS_TRAMPOLINES

namespace {

constexpr int integer_registers = 6;
constexpr int float_registers = 8;

bool is_float(const ffi_type *type) {
  return type->type == FFI_TYPE_FLOAT || type->type == FFI_TYPE_DOUBLE;
}

bool is_scalar(const ffi_type *type) {
  switch (type->type) {
  case FFI_TYPE_INT:
  case FFI_TYPE_UINT8:
  case FFI_TYPE_SINT8:
  case FFI_TYPE_UINT16:
  case FFI_TYPE_SINT16:
  case FFI_TYPE_UINT32:
  case FFI_TYPE_SINT32:
  case FFI_TYPE_UINT64:
  case FFI_TYPE_SINT64:
  case FFI_TYPE_POINTER:
    return true;
  default:
    return is_float(type);
  }
}

} // namespace

plugin_scalar_place *plugin::scalar_places(const ffi_cif *cif) noexcept {
  if (cif->rtype->type != FFI_TYPE_VOID && !is_scalar(cif->rtype))
    return nullptr;
  for (unsigned i = 0; i < cif->nargs; i++) {
    if (!is_scalar(cif->arg_types[i]))
      return nullptr;
  }
  auto *places = static_cast<plugin_scalar_place *>(calloc(cif->nargs + 1, sizeof(plugin_scalar_place)));
  if (places == nullptr)
    return nullptr;
  int integers = 0, floats = 0, words = 0;
  for (unsigned i = 0; i < cif->nargs; i++) {
    int &used = is_float(cif->arg_types[i]) ? floats : integers;
    int available = &used == &floats ? float_registers : integer_registers;
    int first = &used == &floats ? integer_registers : 0;
    places[i] = used < available ? plugin_scalar_place{false, uint8_t(first + used++)}
                                 : plugin_scalar_place{true, uint8_t(words++)};
  }
  return places;
}

void plugin_thunk_enter_scalars(plugin_thunk *thunk, uint64_t *registers, uint64_t *stack, void *result) {
  const unsigned count = thunk->cif->nargs;
  const plugin_scalar_place *places = thunk->pool->places;
  auto **arguments = static_cast<void **>(__builtin_alloca((count + 1) * sizeof(void *)));
  for (unsigned i = 0; i < count; i++)
    arguments[i] = (places[i].is_on_stack ? stack : registers) + places[i].index;
  plugin::enter(thunk, arguments, result);
}

#else

plugin_scalar_place *plugin::scalar_places(const ffi_cif *) noexcept {
  return nullptr;
}

#endif
