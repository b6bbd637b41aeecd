import CPlatform
import CRaces

// The engine's platform functions, for the scheduler's threads. They shadow the functions of CPlatform, whose
// thread-local state belongs to the other copy of the engine in this process.

/// Returns the engine's thread-local state for the running thread: a scheduled one, or the controller.
// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_thread() -> UnsafeMutablePointer<platform_thread> {
  unsafe Scheduler.threadBlocks + Scheduler.current
}

/// Counts the held locks: threads are not switched while there is one.
// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_lock(_ lock: Int32) {
  Scheduler.locks += 1
  races_acquire(UInt(lock) + 1)
}
// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_unlock(_ lock: Int32) {
  races_release(UInt(lock) + 1)
  Scheduler.locks -= 1
}

/// No-op: the scheduler's threads outlive every run.
// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_at_thread_exit(_: @convention(c) () -> Void) {}

/// No-op: nothing forks, and the other copy of the engine has registered its own handlers.
// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_at_fork(_: @convention(c) () -> Void) {}

// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_futex_wait(_ word: UnsafeRawPointer, _ expected: UInt32, _: Int64) -> Bool {
  unsafe Scheduler.sleep(on: word, while: expected)
  return true
}

// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_futex_wake_all(_ word: UnsafeRawPointer) {
  unsafe Scheduler.wake(word)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_yield() {
  Scheduler.spin()
}

/// Compares both words and exchanges the second, in one step.
// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_exchange_second(
  _ words: UnsafeMutableRawPointer, _ first: UInt64, _ second: UInt64, _ desired: UInt64
) -> Bool {
  unsafe Scheduler.pass(.read, UnsafeRawPointer(words))
  unsafe Scheduler.pass(.write, UnsafeRawPointer(words) + MemoryLayout<UInt64>.stride)
  let isExchanged = unsafe CPlatform.platform_exchange_second(words, first, second, desired)
  let life = unsafe UnsafeRawPointer(words) + MemoryLayout<UInt64>.stride
  _ = unsafe races_load(words, 0, platform_fixed_word(words), RACES_ACQUIRES)
  if isExchanged {
    unsafe races_exchange(life, second, desired, RACES_ACQUIRES_AND_RELEASES)
  } else {
    _ = unsafe races_load(life, 0, platform_fixed_word(life), RACES_ACQUIRES)
  }
  return isExchanged
}

/// Returns a constant: no wait times out.
// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_now() -> Int64 { 0 }

/// An alias of the struct: `platform_thread` names the function above.
typealias ThreadBlock = CPlatform.platform_thread

/// Takes a monitor's lock: threads are switched before it is taken, and not while it is held. All monitors count as one
/// word, because they lie outside the cells, at addresses that differ between runs.
// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_monitor_lock(_ monitor: UnsafeMutablePointer<platform_monitor>) {
  if let word = UnsafeRawPointer(bitPattern: Scheduler.watched.lowerBound) { unsafe Scheduler.pass(.write, word) }
  Scheduler.locks += 1
  races_acquire(UInt(bitPattern: monitor))
}
// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_monitor_try_lock(_ monitor: UnsafeMutablePointer<platform_monitor>) -> Bool {
  platform_monitor_lock(monitor)
  return true
}
// swift-format-ignore: AlwaysUseLowerCamelCase
func platform_monitor_unlock(_ monitor: UnsafeMutablePointer<platform_monitor>) {
  races_release(UInt(bitPattern: monitor))
  Scheduler.locks -= 1
}
