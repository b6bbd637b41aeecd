// promise/cpp/handle.hpp - owning one reference. Part of promise.hpp: read that first.
#ifndef PROMISE_CPP_HANDLE_HPP
#define PROMISE_CPP_HANDLE_HPP

#include <utility>

#include "../../promise.h"

namespace promises {

// One reference to a `Raw *` of the C functions, released once, by the destructor. Move-only: copy() adds a reference
// explicitly. Empty after it was moved from. A call on an empty handle throws an error with PROMISE_EINVAL. If it
// is noexcept, it has no effect, and returns 0 or false.
template <class Raw, promise_status_t (*give_back)(Raw *)> class handle {
public:
  handle() noexcept = default;
  handle(handle &&other) noexcept : raw_(other.release()) {}
  handle &operator=(handle &&other) noexcept {
    if (this != &other) {
      reset();
      raw_ = other.release();
    }
    return *this;
  }
  handle(const handle &) = delete;
  handle &operator=(const handle &) = delete;
  ~handle() {
    reset();
  }

  // The handle for C functions, borrowed.
  Raw *raw() const noexcept {
    return raw_;
  }
  // Passes the reference to the caller, and leaves this empty.
  [[nodiscard]] Raw *release() noexcept {
    return std::exchange(raw_, nullptr);
  }
  explicit operator bool() const noexcept {
    return raw_ != nullptr;
  }
  // Releases the reference now.
  void reset() noexcept {
    if (raw_ != nullptr)
      give_back(std::exchange(raw_, nullptr));
  }

protected:
  explicit handle(Raw *owned) noexcept : raw_(owned) {}

private:
  Raw *raw_ = nullptr;
};

} // namespace promises

#endif // PROMISE_CPP_HANDLE_HPP
