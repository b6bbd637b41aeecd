import Foundation
import Glibc

/// A request as the server received it.
struct ReceivedRequest {
  let method: String
  /// The path with the query.
  let target: String
  /// The headers by names in lower case.
  let headers: [String: String]
  let body: Data
}

/// A connection to a client. One thread uses it; any thread may call `interrupt()`.
final class Connection: @unchecked Sendable {
  /// The time limit of one call of the socket, in seconds.
  static let limit = 60

  private let socket: Int32
  private let lock = NSLock()
  // Guarded by the lock.
  private var isInterrupted = false

  init(_ socket: Int32) {
    self.socket = socket
    var limit = timeval(tv_sec: Connection.limit, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  /// Sends all bytes. False if the client has closed the connection, or the server is stopped.
  @discardableResult
  func send(_ bytes: some Sequence<UInt8>) -> Bool {
    Array(bytes).withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Glibc.send(socket, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { return false }
        sent += count
      }
      return true
    }
  }

  /// Sends a text, whose lines end with `\r\n` as written.
  @discardableResult
  func send(_ text: String) -> Bool { send(text.utf8) }

  /// Sends a response with a length.
  func respond(_ status: Int = 200, headers: [String: String] = [:], _ body: some Collection<UInt8> = Data()) {
    let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
    send("HTTP/1.1 \(status) Status\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\(lines)\r\n")
    send(body)
  }

  /// Waits until the client closes the connection. False if it does not, or the server is stopped first.
  func clientCloses() -> Bool {
    var byte: UInt8 = 0
    while true {
      let count = recv(socket, &byte, 1, 0)
      if count > 0 || count < 0 && errno == EINTR { continue }
      if count < 0 && errno != ECONNRESET { return false }
      return !lock.withLock { isInterrupted }
    }
  }

  /// Waits for a time, or until the client closes the connection or the server is stopped. False in these cases.
  func pause(_ seconds: Double) -> Bool {
    var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&watched, 1, Int32(seconds * 1000)) == 0
  }

  /// Makes `close()` send a reset instead of the end of the stream.
  func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  /// Ends all calls of the connection's thread.
  func interrupt() {
    lock.withLock { isInterrupted = true }
    shutdown(socket, Int32(SHUT_RDWR))
  }

  func close() { Glibc.close(socket) }

  /// Receives a request. Nil if the client sends none.
  func receiveRequest() -> ReceivedRequest? {
    var bytes = Data()
    let end = Data("\r\n\r\n".utf8)
    while bytes.range(of: end) == nil {
      guard let more = receive() else { return nil }
      bytes += more
    }
    let range = bytes.range(of: end)!
    let lines = String(decoding: bytes[..<range.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let first = lines[0].split(separator: " ")
    let fields = lines.dropFirst().compactMap { line -> (String, String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }
    let headers = Dictionary(fields) { $0 + ", " + $1 }
    var body = Data(bytes[range.upperBound...])
    while body.count < Int(headers["content-length"] ?? "0")! {
      guard let more = receive() else { return nil }
      body += more
    }
    return ReceivedRequest(method: String(first[0]), target: String(first[1]), headers: headers, body: body)
  }

  private func receive() -> Data? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(socket, &buffer, buffer.count, 0)
    return count > 0 ? Data(buffer[..<count]) : nil
  }
}
