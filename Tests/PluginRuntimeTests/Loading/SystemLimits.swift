import Glibc
import PromisesTestSupport
import Testing

@testable import PluginRuntime

/// Errors that a limit of the system causes name the limit, its value, and the way to raise it.
@Suite("Loading: limits of the system")
struct SystemLimits {
  @Test("without descriptors a file is not opened, and RLIMIT_NOFILE is named")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let error = #expect(throws: PluginError.self) { try PluginFile(opening: "/proc/self/exe") }
      #expect(
        error?.description.hasSuffix(": RLIMIT_NOFILE is 0: close files, or raise the limit (ulimit -n)") == true)
    }
  }

  @Test("without descriptors a library is not looked for, and RLIMIT_NOFILE is named")
  func lookingWithoutDescriptors() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let adoption = Adoption(id: "libm", library: "libm.so.6", functions: [])
      let error = #expect(throws: PluginError.self) { try Host().adopt(adoption) }
      #expect(
        error?.description.hasPrefix("libm.so.6: cannot be looked for: Too many open files: RLIMIT_NOFILE is 0: ")
          == true, "\(String(describing: error))")
    }
  }

  @Test("without descriptors files are not watched, and RLIMIT_NOFILE is named")
  func watchingWithoutDescriptors() async {
    await #expect(processExitsWith: .success) {
      let host = Host()
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let error = #expect(throws: PluginError.self) { try PluginWatcher(host) { _, _ in } }
      #expect(error?.description.contains("cannot watch files: Too many open files: RLIMIT_NOFILE is 0: ") == true)
    }
  }

  @Test("without descriptors a verified library is not loaded, and RLIMIT_NOFILE is named")
  func loadingWithoutDescriptors() async {
    await #expect(processExitsWith: .success) {
      // A library of glibc that nothing has loaded.
      let path = try LibraryFinder.path(of: "libanl.so.1")
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      #expect(dlopen(path, RTLD_NOW) == nil)
      #expect(
        LibraryLoader.error.hasSuffix(
          "Too many open files: RLIMIT_NOFILE is 0: close files, or raise the limit (ulimit -n)"))
    }
  }

  @Test("without threads a plugin is not loaded on one, and RLIMIT_NPROC is named")
  func threads() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      #expect(setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0)
      // The limit does not hold for root.
      if getuid() == 0 { #expect(setuid(65_534) == 0) }
      let error = #expect(throws: PluginError.self) { try Host().load("/none", on: SerialThread()) }
      #expect(error?.kind == .loadFailed)
      #expect(error?.description.contains("cannot be started: RLIMIT_NPROC is 0: ") == true)
    }
  }

  @Test("without threads each job runs on the thread that wants it, and none is lost")
  func jobsWithoutThreads() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 0, rlim_max: 0)
      #expect(setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0)
      if getuid() == 0 { #expect(setuid(65_534) == 0) }
      let caller = UInt64(pthread_self())
      let runs = Recorder<UInt64>()
      let (threads, serial) = (CallThreads(limit: 10), SerialThread())
      for _ in 0..<3 {
        threads.run { runs.record(UInt64(pthread_self())) }
        #expect(threads.count == 0)
        serial.post { runs.record(UInt64(pthread_self())) }
        serial.run { runs.record(UInt64(pthread_self())) }
      }
      #expect(runs.events == [UInt64](repeating: caller, count: 9))
    }
  }

  @Test("a limit on the memory of the process is named before that on threads")
  func memory() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 1 << 46, rlim_max: 1 << 46)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
      let first = "RLIMIT_AS is 70368744177664: raise the limit (ulimit -v); or RLIMIT_NPROC is "
      #expect(SystemLimit.tasks.hasPrefix(first))
    }
  }
}
