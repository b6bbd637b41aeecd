// promise/cpp/propagation.hpp - requests to cancel that coroutines propagate upstream. Part of promise.hpp: read that
// first.
#ifndef PROMISE_CPP_PROPAGATION_HPP
#define PROMISE_CPP_PROPAGATION_HPP

#include <memory>

namespace promises {
namespace detail {

class awaited; // coroutine.hpp

// The work list of a request to cancel: coroutines that have yet to propagate it. The handler of the outermost request
// of a thread drains the list, so that a chain of coroutines takes no recursion.
struct propagation {
  std::shared_ptr<awaited> first{};
  awaited *last = nullptr;
  static inline thread_local propagation *current = nullptr;
};

// Scope of user code that runs within a request. The requests that it makes have a work list of their own: they are
// complete when its calls return.
class own_requests {
public:
  own_requests() noexcept : around_(propagation::current) {
    propagation::current = nullptr;
  }
  own_requests(const own_requests &) = delete;
  own_requests &operator=(const own_requests &) = delete;
  ~own_requests() {
    propagation::current = around_;
  }

private:
  propagation *around_;
};

} // namespace detail
} // namespace promises

#endif // PROMISE_CPP_PROPAGATION_HPP
