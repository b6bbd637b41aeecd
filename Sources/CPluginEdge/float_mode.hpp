// The modes of a thread's floating-point arithmetic.
#ifndef PLUGIN_FLOAT_MODE_HPP
#define PLUGIN_FLOAT_MODE_HPP

#include <cstdint>

namespace plugin {

/// The rounding direction, the precision, the traps, and whether tiny numbers become 0. Foreign code may change them
/// for its thread - initialisers of libraries that were linked with -ffast-math do - and would change the results of
/// the code that runs there next. The exception flags are not among them.
///
/// Not fegetmode(): setting unchanged modes costs more than a call of a short function.
class float_mode {
public:
  float_mode() noexcept : modes(read()) {}

  void restore() const noexcept {
    if (__builtin_expect(read() != modes, false))
      write();
  }

private:
  uint64_t modes;

#if defined(__x86_64__)
  static constexpr uint32_t flags = 0x3f;

  /// The control bits of SSE; above them, those of the x87 unit.
  static uint64_t read() noexcept {
    uint32_t sse;
    uint16_t x87;
    asm volatile("stmxcsr %0" : "=m"(sse));
    asm volatile("fnstcw %0" : "=m"(x87));
    return (sse & ~flags) | uint64_t(x87) << 32;
  }

  void write() const noexcept {
    uint32_t sse;
    uint16_t x87 = uint16_t(modes >> 32);
    asm volatile("stmxcsr %0" : "=m"(sse));
    sse = (sse & flags) | uint32_t(modes);
    asm volatile("ldmxcsr %0" : : "m"(sse));
    asm volatile("fldcw %0" : : "m"(x87));
  }
#elif defined(__aarch64__)
  static uint64_t read() noexcept {
    uint64_t control;
    asm volatile("mrs %0, fpcr" : "=r"(control));
    return control;
  }

  void write() const noexcept {
    asm volatile("msr fpcr, %0" : : "r"(modes));
  }
#else
#error "no floating-point modes for this architecture"
#endif
};

} // namespace plugin

#endif // PLUGIN_FLOAT_MODE_HPP
