import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Fatal signals, and an exit, that are not those of a call on its thread.
  @Suite struct CrashTests {
    private static let nowhere = "on a thread that runs no function of a plugin"

    @Test("a trap ends the process, though its handler would return behind the instruction")
    func aTrapEndsTheProcess() throws {
      for isolation in ["in-process", "thread"] {
        let ending = try HostProcess.run("call", "--isolation", isolation, "unsettling", "trap")
        #expect(ending.signal == SIGTRAP && ending.text == "", "\(ending)")
        let report = "plugin-host: org.example.unsettling.trap: SIGTRAP in this call: the process ends\n"
        #expect(ending.errors.hasPrefix(report), "\(ending)")
      }
      let worker = try HostProcess.run("call", "--isolation", "process", "unsettling", "trap")
      #expect(worker.status == 1 && worker.text == "" && worker.errors.contains("SIGTRAP"), "\(worker)")
    }
  }
}
