import Foundation
import Glibc
import PromisesTestSupport

/// An HTTP server on 127.0.0.1, of raw sockets: it can send malformed responses.
///
/// Each connection has a thread, serves one request, and is closed. `stop()` ends all connections and joins all
/// threads; no call of a socket takes longer than `Connection.limit`.
final class LoopbackServer: @unchecked Sendable {
  typealias Handler = @Sendable (ReceivedRequest, Connection) -> Void

  let port: UInt16
  private let listener: Int32
  private let handler: Handler
  private let lock = NSLock()
  // Guarded by the lock.
  private var open: [Connection] = []
  private var threads: [PromisesTestSupport.Thread] = []
  private var isStopping = false

  private init(_ handler: @escaping Handler) throws {
    // Keep the requests from a proxy that the environment names.
    setenv("no_proxy", "127.0.0.1", 1)
    self.handler = handler
    (listener, port) = try LoopbackServer.bindSocket()
    guard listen(listener, 64) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
  }

  /// Binds a socket to a free port. Connections are refused until it listens. The caller closes it.
  static func bindSocket() throws -> (socket: Int32, port: UInt16) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      let address = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      return bind(socket, address, size) | getsockname(socket, address, &size)
    }
    guard socket >= 0, status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// Runs `body` with a server that passes each request to `handler` on a thread of its own.
  static func with<Result>(_ handler: @escaping Handler, _ body: (LoopbackServer) throws -> Result) throws -> Result {
    let server = try LoopbackServer(handler)
    let acceptor = PromisesTestSupport.Thread { server.accept() }
    defer {
      server.stop()
      acceptor.join()
      close(server.listener)
    }
    return try body(server)
  }

  func url(_ path: String = "/") -> URL { LoopbackServer.url(port: port, path) }

  static func url(port: UInt16, _ path: String = "/") -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

  private func accept() {
    while true {
      let socket = Glibc.accept(listener, nil, nil)
      guard socket >= 0 else { return }
      let connection = Connection(socket)
      let thread = lock.withLock {
        guard !isStopping else {
          close(socket)
          return false
        }
        open.append(connection)
        threads.append(PromisesTestSupport.Thread { self.serve(connection) })
        return true
      }
      if !thread { return }
    }
  }

  private func serve(_ connection: Connection) {
    if let request = connection.receiveRequest() { handler(request, connection) }
    // Closed under the lock: stop() must not shut down a descriptor that another file has got meanwhile.
    lock.withLock {
      open.removeAll { $0 === connection }
      connection.close()
    }
  }

  private func stop() {
    let threads = lock.withLock {
      isStopping = true
      // Wakes accept().
      shutdown(listener, Int32(SHUT_RDWR))
      for connection in open { connection.interrupt() }
      return self.threads
    }
    for thread in threads { thread.join() }
  }
}
