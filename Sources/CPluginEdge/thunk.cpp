// The life cycle of a thunk; plugin_thunk.h has its states.

#include "thunk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "guard.hpp"

namespace {

// The state word: flags, the generation, and the number of running calls.
constexpr uint64_t ended = uint64_t(1) << 63;
constexpr uint64_t freed = uint64_t(1) << 62; // the body
constexpr uint64_t quiet = uint64_t(1) << 61;
constexpr uint64_t once = uint64_t(1) << 60;
constexpr uint64_t called = uint64_t(1) << 59; // with `once`
constexpr unsigned generation_shift = 20;
constexpr uint64_t calls = (uint64_t(1) << generation_shift) - 1;
constexpr uint64_t generation_mask = (called - 1) >> generation_shift;

uint64_t generation(uint64_t state) {
  return state >> generation_shift & generation_mask;
}

/// Appends a thunk whose body was freed to its pool's queue of resting thunks.
void rest(plugin_thunk *thunk) {
  plugin_thunk_pool *pool = thunk->pool;
  pthread_mutex_lock(&pool->lock);
  thunk->next = nullptr;
  (pool->last != nullptr ? pool->last->next : pool->first) = thunk;
  pool->last = thunk;
  pool->resting++;
  pthread_mutex_unlock(&pool->lock);
}

/// Frees the body if no call can run it any more. Several threads may find the thunk ended and empty: one frees it.
void free_if_unused(plugin_thunk *thunk, uint64_t state) {
  while ((state & ended) != 0 && (state & (calls | freed)) == 0) {
    if (!thunk->state.compare_exchange_weak(state, state | freed, std::memory_order_acq_rel))
      continue;
    thunk->pool->behaviour->free(thunk->body);
    rest(thunk);
    return;
  }
}

void end(plugin_thunk *thunk, uint64_t expected, bool quietly) {
  uint64_t state = thunk->state.load(std::memory_order_acquire);
  uint64_t wanted;
  do {
    if (generation(state) != expected || (state & ended) != 0)
      return;
    wanted = state | ended | (quietly ? quiet : 0);
  } while (!thunk->state.compare_exchange_weak(state, wanted, std::memory_order_acq_rel));
  free_if_unused(thunk, wanted);
}

/// Returns the reason why a call is late; 0 if it is not. `state` is the state before the call was counted.
plugin_thunk_late_t lateness(plugin_thunk *thunk, uint64_t state, void *const *arguments) {
  if ((state & ended) != 0)
    return (state & called) != 0 ? PLUGIN_THUNK_CALLED_TWICE : PLUGIN_THUNK_ENDED;
  if (thunk->pool->context >= 0) {
    const void *context = nullptr;
    memcpy(&context, arguments[thunk->pool->context], sizeof context);
    if (context != thunk->context)
      return PLUGIN_THUNK_WRONG_CONTEXT;
  }
  if ((state & once) == 0)
    return 0;
  return (thunk->state.fetch_or(called, std::memory_order_acq_rel) & called) != 0 ? PLUGIN_THUNK_CALLED_TWICE : 0;
}

/// The function that libffi calls, for both of its kinds.
void enter_any(ffi_cif *, void *result, void **arguments, void *thunk) {
  plugin::enter(static_cast<plugin_thunk *>(thunk), arguments, result);
}

/// Makes a thunk; NULL if that is impossible.
plugin_thunk *make(plugin_thunk_pool *pool, plugin_thunk_kind_t kind) {
  plugin_thunk *thunk = nullptr;
  if (kind == PLUGIN_THUNK_CLOSURE) {
    void *code = nullptr;
    auto *closure = static_cast<ffi_closure *>(ffi_closure_alloc(sizeof(ffi_closure), &code));
    thunk = closure != nullptr ? new (std::nothrow) plugin_thunk() : nullptr;
    if (thunk == nullptr || ffi_prep_closure_loc(closure, pool->cif, enter_any, thunk, code) != FFI_OK) {
      delete thunk;
      if (closure != nullptr)
        ffi_closure_free(closure);
      return nullptr;
    }
    thunk->function = reinterpret_cast<promise_function_t>(code);
  } else {
    thunk = plugin::trampoline_new();
    if (thunk == nullptr)
      return nullptr;
#if PLUGIN_THUNK_HAS_TRAMPOLINES
    if (kind == PLUGIN_THUNK_SCALARS) {
      thunk->target = reinterpret_cast<void *>(plugin_thunk_scalars);
    } else {
      // Cannot fail: the call was prepared for this convention. The fields have the layout of a ffi_go_closure.
      (void)ffi_prep_go_closure(reinterpret_cast<ffi_go_closure *>(thunk), pool->cif, enter_any);
    }
#endif
  }
  thunk->cif = pool->cif;
  thunk->pool = pool;
  thunk->kind = kind;
  thunk->state.store(ended | freed, std::memory_order_relaxed);
  return thunk;
}

/// Takes the thunk that has rested longest, if the queue is long enough.
plugin_thunk *rested(plugin_thunk_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  plugin_thunk *thunk = pool->resting > PLUGIN_THUNK_REST ? pool->first : nullptr;
  if (thunk != nullptr) {
    pool->first = thunk->next;
    if (pool->first == nullptr)
      pool->last = nullptr;
    pool->resting--;
  }
  pthread_mutex_unlock(&pool->lock);
  return thunk;
}

/// Makes a resting thunk live; false if a late call is running in it.
bool revive(plugin_thunk *thunk, void *body, const void *context, bool is_once, uint64_t *revived) {
  uint64_t state = thunk->state.load(std::memory_order_acquire);
  if ((state & calls) != 0)
    return false;
  *revived = (generation(state) + 1) & generation_mask;
  // No call reads these fields while the thunk is ended.
  thunk->body = body;
  thunk->context = context;
  uint64_t live = *revived << generation_shift | (is_once ? once : 0);
  return thunk->state.compare_exchange_strong(state, live, std::memory_order_acq_rel);
}

} // namespace

void plugin::enter(plugin_thunk *thunk, void *const *arguments, void *result) noexcept {
  const plugin_thunk_behaviour_t *behaviour = thunk->pool->behaviour;
  memset(result, 0, std::max(thunk->cif->rtype->size, sizeof(ffi_arg)));
  // The code around the callback keeps its errno, and the thread cannot be cancelled inside the host.
  const int error = errno;
  int cancellation = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);

  uint64_t state = thunk->state.fetch_add(1, std::memory_order_acq_rel);
  plugin_thunk_late_t why = lateness(thunk, state, arguments);
  if (why == 0) {
    plugin_fault_t fault;
    void *body = thunk->body;
    auto kind = plugin::guard(&fault, [=] { behaviour->run(body, arguments, result); });
    if (kind != PLUGIN_FAULT_NONE) {
      memset(result, 0, std::max(thunk->cif->rtype->size, sizeof(ffi_arg)));
      behaviour->fail(body, &fault);
    }
    if ((state & once) != 0)
      end(thunk, generation(state), false);
  } else if ((state & quiet) == 0) {
    behaviour->late(thunk->pool->origin, why);
  }
  state = thunk->state.fetch_sub(1, std::memory_order_acq_rel) - 1;
  free_if_unused(thunk, state);

  pthread_setcancelstate(cancellation, nullptr);
  errno = error;
}

plugin_thunk_pool_t *plugin_thunk_pool_new(void *cif, int32_t context, const plugin_thunk_behaviour_t *behaviour,
                                           void *origin, plugin_thunk_kind_t kind) {
  auto *pool = new (std::nothrow) plugin_thunk_pool();
  if (pool == nullptr)
    return nullptr;
  pool->cif = static_cast<ffi_cif *>(cif);
  pool->behaviour = behaviour;
  pool->origin = origin;
  pool->context = context;
  pthread_mutex_init(&pool->lock, nullptr);
  if (kind == 0 || kind == PLUGIN_THUNK_SCALARS)
    pool->places = plugin::scalar_places(pool->cif);
  const auto any = kind == PLUGIN_THUNK_CLOSURE ? PLUGIN_THUNK_CLOSURE : PLUGIN_THUNK_ANY;
  pool->kind = pool->places != nullptr ? PLUGIN_THUNK_SCALARS : any;
  return pool;
}

plugin_thunk_reference_t plugin_thunk_take(plugin_thunk_pool_t *pool, void *body, const void *context, bool is_once) {
  uint64_t generation = 0;
  plugin_thunk *thunk = rested(pool);
  if (thunk != nullptr && !revive(thunk, body, context, is_once, &generation)) {
    rest(thunk);
    thunk = nullptr;
  }
  if (thunk == nullptr) {
    thunk = make(pool, pool->kind);
    if (thunk == nullptr) {
      // Trampolines are not supported on this machine or system, or memory or descriptors ran out. Not tried again:
      // where they are not supported, each attempt costs several system calls, and closures do the same.
      pool->kind = PLUGIN_THUNK_CLOSURE;
      thunk = make(pool, PLUGIN_THUNK_CLOSURE);
    }
    if (thunk == nullptr)
      return {nullptr, 0};
    (void)revive(thunk, body, context, is_once, &generation);
  }
  return {thunk, generation};
}

promise_function_t plugin_thunk_function(const plugin_thunk_t *thunk) {
  return thunk->function;
}

plugin_thunk_kind_t plugin_thunk_kind(const plugin_thunk_t *thunk) {
  return thunk->kind;
}

void plugin_thunk_end(plugin_thunk_reference_t reference, bool quietly) {
  end(reference.thunk, reference.generation, quietly);
}

const void *plugin_thunk_new_context(void) {
  static std::atomic<uint64_t> count{1};
  // Aligned, with the top bits clear, as libraries expect of a pointer, in a region where no system puts memory by
  // itself.
  constexpr uint64_t region = uint64_t(1) << 44;
  uint64_t number = count.fetch_add(1, std::memory_order_relaxed);
  return reinterpret_cast<const void *>(region | (number << 4 & (region - 1)));
}
