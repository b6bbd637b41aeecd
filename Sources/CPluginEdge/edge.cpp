#include "plugin_edge.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <ffi.h>
#include <pthread.h>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <unwind.h>

#include "activity.hpp"
#include "guard.hpp"
#include "plugin_library.h"

namespace plugin {

namespace {

char *demangled(const char *name) {
  int status = 0;
  char *text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  return text != nullptr ? text : strdup(name);
}

/// Returns the text of the exception being handled, if it is a number of one of these types; NULL otherwise.
template <typename... Numbers> char *number() {
  std::string text;
  auto read = [&text](auto zero) {
    try {
      throw;
    } catch (decltype(zero) thrown) {
      if constexpr (std::is_floating_point_v<decltype(zero)>) {
        char digits[32];
        snprintf(digits, sizeof digits, "%.15Lg", static_cast<long double>(thrown));
        text = digits;
      } else {
        text = std::to_string(thrown);
      }
    } catch (...) {
    }
  };
  (read(Numbers()), ...);
  return text.empty() ? nullptr : strdup(text.c_str());
}

/// Returns the message of the exception being handled; NULL if its type has none.
char *message() {
  try {
    throw;
  } catch (const std::exception &error) {
    const char *text = error.what();
    return text != nullptr ? strdup(text) : nullptr;
  } catch (const std::string &text) {
    return strdup(text.c_str());
  } catch (const char *text) {
    return text != nullptr ? strdup(text) : nullptr;
  } catch (bool truth) {
    return strdup(truth ? "true" : "false");
  } catch (char letter) {
    return strndup(&letter, 1);
  } catch (...) {
    return number<int, unsigned, long, unsigned long, long long, unsigned long long, short, unsigned short, signed char,
                  unsigned char, float, double, long double>();
  }
}

/// The C++ runtime's record of a caught exception. It ends with the header by which every exception begins, in each
/// language: for a foreign one, nothing before the header is memory of the exception.
struct caught_exception {
#ifdef _LIBCPP_VERSION
  void *reserved;
  size_t references;
#endif
  void *type, *destructor, *unexpected, *terminate, *next;
  int handlers, switch_value;
  void *action, *data, *landing_pad, *object;
  _Unwind_Exception header;
};
static_assert(offsetof(caught_exception, header) + sizeof(_Unwind_Exception) == sizeof(caught_exception),
              "the header is found from the end");

/// Returns the language of the foreign exception being handled, from its class: four letters of a vendor, then four of
/// a language. NULL if it has no name.
char *language() {
  auto *caught = *reinterpret_cast<caught_exception **>(abi::__cxa_get_globals());
  uint64_t exception_class = 0;
  memcpy(&exception_class, &caught->header.exception_class, sizeof exception_class);
  // Rust stores the letters in memory order; other languages start at the highest byte of the number.
  if (memcmp(&exception_class, "MOZ\0RUST", sizeof exception_class) == 0)
    return strdup("Rust");
  char name[5] = {};
  for (int i = 0; i < 4; i++)
    name[i] = static_cast<char>(exception_class >> (24 - 8 * i));
  for (const char *letter = name; *letter != '\0'; letter++) {
    if (*letter < '!' || *letter > '~')
      return nullptr;
  }
  return name[0] != '\0' ? strdup(name) : nullptr;
}

} // namespace

void describe_exception(plugin_fault_t *fault) noexcept {
  // Reads only the exception's class. The type is stored before the exception object, where a foreign exception has
  // different memory or none.
  if (std::current_exception() == nullptr) {
    *fault = {PLUGIN_FAULT_FOREIGN_EXCEPTION, language(), nullptr};
    return;
  }
  const std::type_info *type = abi::__cxa_current_exception_type();
  *fault = {PLUGIN_FAULT_EXCEPTION, demangled(type->name()), message()};
}

} // namespace plugin

plugin_fault_kind_t plugin_edge_call(const char *subject, void *cif, promise_function_t function, void *result,
                                     void **arguments, plugin_fault_t *fault) {
  plugin::noted<PLUGIN_ACTIVITY_CALL> noted(subject);
  return plugin::guard(fault, [=] { ffi_call(static_cast<ffi_cif *>(cif), function, result, arguments); });
}

void *plugin_edge_map(const char *subject, const char *path, plugin_fault_t *fault) {
  plugin::noted<PLUGIN_ACTIVITY_MAPPING> noted(subject);
  void *handle = nullptr;
  plugin::guard(fault, [&] { handle = plugin_library_open(path); });
  if (handle != nullptr)
    plugin_library_note(handle, subject);
  return handle;
}

const promise_plugin_t *plugin_edge_entry(const char *subject, const promise_plugin_t *(*entry)(uint32_t),
                                          uint32_t host_abi, plugin_fault_t *fault) {
  plugin::noted<PLUGIN_ACTIVITY_ENTRY> noted(subject);
  const promise_plugin_t *plugin = nullptr;
  plugin::guard(fault, [&] { plugin = entry(host_abi); });
  return plugin;
}

promise_status_t plugin_edge_load(const char *subject,
                                  promise_status_t (*load)(const promise_host_t *, promise_value_t *),
                                  const promise_host_t *host, promise_value_t *error, plugin_fault_t *fault) {
  plugin::noted<PLUGIN_ACTIVITY_LOAD> noted(subject);
  promise_status_t status = PROMISE_EINVAL;
  plugin::guard(fault, [&] { status = load(host, error); });
  return status;
}

void plugin_edge_unload(const char *subject, void (*unload)(), plugin_fault_t *fault) {
  plugin::noted<PLUGIN_ACTIVITY_UNLOAD> noted(subject);
  plugin::guard(fault, unload);
}

uintptr_t plugin_edge_stack_end() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return UINTPTR_MAX;
  void *address = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &address, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<uintptr_t>(address);
}

void plugin_fault_free(plugin_fault_t *fault) {
  free(fault->type);
  free(fault->message);
  *fault = {};
}
