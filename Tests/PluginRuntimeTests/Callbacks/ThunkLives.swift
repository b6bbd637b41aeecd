import CPluginEdge
import Dispatch
import Glibc
import PromisesTestSupport
import Synchronization
import Testing

@Suite("Thunks: lives")
struct ThunkLives {
  /// int32_t f(void *, int32_t)
  private let interface = ThunkInterface([ThunkInterface.pointer, ThunkInterface.int32], ThunkInterface.int32)

  @Test(
    "a late call runs nothing, returns 0 and is reported; a late call of a thunk that ended quietly is not reported")
  func late() {
    let pool = ThunkPool(interface)
    let calls = Atomic<Int>(0)
    let thunk = pool.take { _, result in
      calls.add(1, ordering: .relaxed)
      result.storeBytes(of: 7, as: Int64.self)
    }
    #expect(thunk.call(0, 1) == 7)
    thunk.end()
    #expect(pool.freed.load(ordering: .relaxed) == 1)
    #expect(thunk.call(0, 1) == 0)
    #expect(pool.late.withLock { $0 } == [plugin_thunk_late_t(PLUGIN_THUNK_ENDED)])
    let quiet = pool.take { _, _ in }
    quiet.end(quietly: true)
    #expect(quiet.call(0, 1) == 0)
    #expect(pool.late.withLock(\.count) == 1)
    #expect(calls.load(ordering: .relaxed) == 1)
  }

  @Test("a callback that may be called once ends with that call; a second call is reported, also from within the first")
  func once() {
    let pool = ThunkPool(interface)
    let own = Mutex<Thunk?>(nil)
    let thunk = pool.take(once: true) { _, result in
      own.withLock { $0 }?.call(0, 2)
      result.storeBytes(of: 1, as: Int64.self)
    }
    own.withLock { $0 = thunk }
    #expect(thunk.call(0, 1) == 1)
    #expect(pool.freed.load(ordering: .relaxed) == 1)
    #expect(thunk.call(0, 1) == 0)
    let twice = plugin_thunk_late_t(PLUGIN_THUNK_CALLED_TWICE)
    #expect(pool.late.withLock { $0 } == [twice, twice])
  }

  @Test("a call with another context than the callback's is refused")
  func context() {
    let pool = ThunkPool(interface, context: 0)
    let context = plugin_thunk_new_context()
    #expect(context != plugin_thunk_new_context())
    let thunk = pool.take(context) { $1.storeBytes(of: Int64($0![1]!.load(as: Int32.self)), as: Int64.self) }
    let bits = UInt64(UInt(bitPattern: context))
    #expect(thunk.call(bits, 5) == 5)
    #expect(thunk.call(bits + 16, 5) == 0)
    #expect(thunk.call(0, 5) == 0)
    thunk.end()
    let wrong = plugin_thunk_late_t(PLUGIN_THUNK_WRONG_CONTEXT)
    #expect(pool.late.withLock { $0 } == [wrong, wrong])
  }

  @Test("a callback may call itself, and end itself: its body is freed when the last call of it has returned")
  func within() {
    let pool = ThunkPool(interface)
    let own = Mutex<Thunk?>(nil)
    let freed = Recorder<Int>()
    let thunk = pool.take { arguments, result in
      let depth = arguments![1]!.load(as: Int32.self)
      let thunk = own.withLock { $0 }
      if depth == 3 { thunk?.end() }
      if depth < 3 { thunk?.call(0, UInt64(depth + 1)) }
      freed.record(pool.freed.load(ordering: .relaxed))
      result.storeBytes(of: Int64(depth), as: Int64.self)
    }
    own.withLock { $0 = thunk }
    #expect(thunk.call(0, 0) == 0)
    #expect(freed.events == [0, 0, 0, 0])
    #expect(pool.freed.load(ordering: .relaxed) == 1)
    #expect(thunk.call(0, 0) == 0)
    #expect(pool.late.withLock(\.count) == 1)
  }

  @Test("a callback that ends while another thread runs it is freed by that thread")
  func elsewhere() async {
    let pool = ThunkPool(interface)
    let (entered, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let thunk = pool.take { _, result in
      entered.signal()
      go.wait()
      result.storeBytes(of: 9, as: Int64.self)
    }
    async let result = onThread { thunk.call(0, 0) }
    await onThread {
      entered.wait()
      thunk.end()
      #expect(pool.freed.load(ordering: .relaxed) == 0)
      #expect(thunk.call(0, 0) == 0)
      go.signal()
    }
    #expect(await result == 9)
    #expect(pool.freed.load(ordering: .relaxed) == 1)
  }

  @Test("a body that throws in C++ gives C a result of zeros, and its owner the exception")
  func exception() throws {
    let library = try #require(dlopen(try Fixture.plugin("throwing"), RTLD_NOW))
    let body = try #require(dlsym(library, "throwing_body"))
    let pool = ThunkPool(interface, body: body)
    let thunk = pool.take { _, _ in }
    #expect(thunk.call(0, 1) == 0)
    #expect(thunk.call(0, 1) == 0)
    thunk.end()
    #expect(pool.faults.withLock { $0 } == ["std::length_error: too long", "std::length_error: too long"])
    #expect(pool.freed.load(ordering: .relaxed) == 1)
  }

  @Test("the code around a call sees its own errno")
  func errorNumber() {
    let thunk = ThunkPool(interface).take { _, _ in errno = EBADF }
    errno = ENOENT
    thunk.call(0, 0)
    #expect(errno == ENOENT)
    thunk.end()
  }

  @Test("10,000 callbacks need only the addresses that rest at a time, and none is reused too early")
  func reuse() {
    let pool = ThunkPool(interface)
    var lastUse: [UInt: Int] = [:]
    for number in 0..<10_000 {
      let thunk = pool.take { $1.storeBytes(of: Int64(number), as: Int64.self) }
      if let last = lastUse[thunk.address] { #expect(number - last > PLUGIN_THUNK_REST) }
      lastUse[thunk.address] = number
      #expect(thunk.call(0, 0) == UInt64(number))
      thunk.end()
      #expect(thunk.call(0, 0) == 0)
    }
    #expect(lastUse.count == PLUGIN_THUNK_REST + 1)
    #expect(pool.freed.load(ordering: .relaxed) == 10_000)
    #expect(pool.late.withLock(\.count) == 10_000)
  }

  @Test("an owner who ends a callback twice does not end the one that has its address later")
  func generations() {
    let pool = ThunkPool(interface)
    let first = pool.take { _, _ in }
    first.end()
    var later = first
    while later.reference.generation == first.reference.generation || later.address != first.address {
      later = pool.take { $1.storeBytes(of: 3, as: Int64.self) }
      if later.address != first.address { later.end() }
    }
    first.end()
    #expect(later.call(0, 0) == 3)
    later.end()
  }

  @Test("threads that call, end and make callbacks at once: each body runs only while it lives, and is freed once")
  func race() async {
    let pool = ThunkPool(interface)
    let counts = Counts()
    await withTaskGroup { group in
      for _ in 0..<2 {
        group.addTask {
          await onThread {
            for _ in 0..<5_000 {
              let number = counts.made.add(1, ordering: .relaxed).newValue
              let freed: @Sendable () -> Void = { counts.gone.withLock { _ = $0.insert(number) } }
              let thunk = pool.take(freed: freed) { _, _ in
                if counts.gone.withLock({ $0.contains(number) }) { Issue.record("\(number) runs after it was freed") }
                counts.ran.add(1, ordering: .relaxed)
              }
              counts.current.withLock { $0 = thunk }
              thunk.call(0, 0)
              thunk.end()
            }
          }
        }
        group.addTask {
          await onThread {
            for _ in 0..<20_000 { counts.current.withLock { $0 }?.call(0, 0) }
          }
        }
      }
    }
    #expect(counts.made.load(ordering: .relaxed) == 10_000)
    #expect(counts.gone.withLock(\.count) == 10_000)
    #expect(counts.ran.load(ordering: .relaxed) >= 10_000)
  }
}

/// Counters that the threads of a race share.
private final class Counts: Sendable {
  let made = Atomic<Int>(0)
  let ran = Atomic<Int>(0)
  /// The numbers of the bodies that were freed.
  let gone = Mutex<Set<Int>>([])
  let current = Mutex<Thunk?>(nil)
}
