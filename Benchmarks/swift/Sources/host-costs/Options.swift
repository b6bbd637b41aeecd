import Glibc

/// The options of the command line.
struct Options {
  var library = ""
  var isLong = false
  var peers: [Peer] = []

  init?(_ arguments: some Sequence<String>) {
    var rest = Array(arguments)[...]
    guard let library = rest.popFirst() else { return nil }
    self.library = library
    while let word = rest.popFirst() {
      if word == "--long" {
        isLong = true
      } else if word == "--peer", let name = rest.popFirst(), let path = rest.popFirst() {
        peers.append(Peer(name: name, path: path))
      } else {
        return nil
      }
    }
  }
}

/// A peer that calls C functions, and its times.
struct Peer {
  var name: String
  var path: String

  /// Returns nanoseconds by the name of the call; empty if the peer is not installed.
  func times() -> [String: Double] {
    guard let file = fopen(path, "r") else { return [:] }
    defer { fclose(file) }
    var times: [String: Double] = [:]
    var line = [CChar](repeating: 0, count: 200)
    while fgets(&line, Int32(line.count), file) != nil {
      let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        .split(whereSeparator: \.isWhitespace)
      if words.count == 2, let time = Double(words[1]) { times[String(words[0])] = time }
    }
    return times
  }
}
