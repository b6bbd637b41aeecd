import CPluginEdge
import CPromise
import Glibc
import Promises
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Open files as arguments and results", .serialized)
struct OpenFiles {
  private static let id = "org.example.files"

  /// Loads the plugin in this process, in a worker, or in a pool of workers.
  private static func host(_ place: String) throws -> Host {
    guard place != "in-process" else { return try .loading("files") }
    let host = Host()
    var options = IsolationOptions.tests
    options.pool = place == "pool" ? 2 : 1
    // The plugin makes sockets, and opens files by their paths.
    try options.capabilities.allow("all")
    try host.load(try Fixture.plugin("files"), isolation: options)
    return host
  }

  private static let places = ["in-process", "process", "pool"]

  private static func call(_ host: Host, _ function: String, _ values: PluginValue...) async throws -> Outcome {
    try await host.call(function, of: id, values.map { .value($0) }).outcomeInTime()
  }

  @Test("a function reads and writes the file that it is given, and the program keeps it", arguments: places)
  func lent(place: String) async throws {
    let host = try Self.host(place)
    let file = try OpenFile.holding("given")
    #expect(try await Self.call(host, "content", .file(file)).value == .bytes(Array("given".utf8)))
    // The position is that of the file, not of the descriptor.
    #expect(try await Self.call(host, "content", .file(file)).value == .bytes([]))
    #expect(try await Self.call(host, "write_text", .file(file), .string("!")).value == .int(0))
    #expect(lseek(file.descriptor, 0, SEEK_SET) == 0 && file.text == "given!")
    #expect(try await Self.call(host, "is_closed_by_exec", .file(file)).value == .bool(true))
    #expect(host.unloadAll(deadline: .seconds(60)) == [])
  }

  @Test("a result and out parameters are open files, which are closed with their last reference", arguments: places)
  func given(place: String) async throws {
    let host = try Self.host(place)
    var found: [FileIdentity] = []
    do {
      let text = try #require(try await Self.call(host, "pipe_with", .string("result")).value?.file)
      #expect(text.text == "result" && fcntl(text.descriptor, F_GETFD) == FD_CLOEXEC)
      // No other process has a copy that was made on the way: a pipe whose ends were closed has an end.
      #expect(text.text == "")
      let both = try #require(try await Self.call(host, "ends", .bool(false)).value)
      let (reader, writer) = (try #require(both[member: "reader"]?.file), try #require(both[member: "writer"]?.file))
      #expect(write(writer.descriptor, "out", 3) == 3 && reader.text == "out")
      let socket = try #require(try await Self.call(host, "socket_end").value?.file)
      #expect(socket.text == "x")
      let stored = try #require(try await Self.call(host, "checked", .string("stored")).value?.file)
      #expect(stored.text == "stored")
      // As an argument of another call, as steps of a pipeline pass it.
      let again = try #require(try await Self.call(host, "duplicate", .file(reader)).value?.file)
      #expect(again.identity == reader.identity && again != reader)
      found = [text, reader, socket, stored, again].map(\.identity)
    }
    try await waiting { found.allSatisfy { FileCounts.count(of: $0) == 0 } }
    #expect(host.unloadAll(deadline: .seconds(60)) == [])
  }

  @Test("a pipe ends once its values are released: no process keeps a copy of its end", arguments: places)
  func ending(place: String) async throws {
    let host = try Self.host(place)
    let before = try await Self.call(host, "count_descriptors").value
    for _ in 0..<3 {
      let reader = try await {
        let both = try #require(try await Self.call(host, "ends", .bool(false)).value)
        let writer = try #require(both[member: "writer"])
        #expect(try await Self.call(host, "write_text", writer, .string("x")).value == .int(0))
        return try #require(both[member: "reader"]?.file)
      }()
      #expect(reader.text == "x")
      try await waiting {
        var state = pollfd(fd: reader.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) == 1 && state.revents & Int16(POLLHUP) != 0
      }
    }
    if place == "process" {
      // The worker, too, keeps nothing.
      try await waiting { try await Self.call(host, "count_descriptors").value == before }
    }
    #expect(host.unloadAll(deadline: .seconds(60)) == [])
  }

  @Test("a function that fails gives no file, and the ends that it stored are closed", arguments: places)
  func failures(place: String) async throws {
    let host = try Self.host(place)
    let missing = try await Self.call(host, "open_file", .string("/no/such/file"))
    #expect(missing.promiseError?.message == "open_file: No such file or directory", "\(missing)")
    #expect(try await Self.call(host, "ends", .bool(true)).promiseError?.code == 7)
    if place != "pool", case .uint(let pipe)? = try await Self.call(host, "last_pipe").value {
      #expect(FileCounts.pipes(pipe) == 0)
      #expect(try await Self.call(host, "count_pipes", .uint(pipe)).value == .int(0))
    }
    #expect(try await Self.call(host, "minus", .int(-5)).promiseError?.code == -5)
    #expect(host.unloadAll(deadline: .seconds(60)) == [])
  }

  @Test("a descriptor that cannot be passed is an error that names it", arguments: places)
  func refused(place: String) async throws {
    let host = try Self.host(place)
    let unset = try await Self.call(host, "checked", .string("")).message
    #expect(unset.contains("returned 'result' that is the descriptor -1, which is not open"), "\(unset)")
    #expect(try await Self.call(host, "number", .int(9999)).message.contains("the descriptor 9999, which is not open"))
    #expect(try await Self.call(host, "open_file", .string("/")).message.contains("which is a folder"))
    let file = try OpenFile.holding("mine")
    let same = try await Self.call(host, "same", .file(file)).message
    #expect(same.contains("which the host owns already, expected a duplicate, by dup()"), "\(same)")
    #expect(file.text == "mine")
    // Standard input is not the plugin's to give away.
    let input = try await Self.call(host, "number", .int(0))
    if place != "in-process" { #expect(input.value?.file != nil, "\(input)") }
    #expect(fcntl(STDIN_FILENO, F_GETFD) >= 0)
    #expect(host.unloadAll(deadline: .seconds(60)) == [])
  }

  @Test("an argument is an open file: numbers, texts and JSON are none", arguments: places)
  func forged(place: String) async throws {
    let host = try Self.host(place)
    let file = try OpenFile.holding("")
    for (content, found) in [
      (Argument.Content.value(.int(Int64(file.descriptor))), "is \(file.descriptor)"),
      (.value(.string("x")), "is a string"),
      (.text("3"), "is \"3\""), (.json(.number("3")), "is 3"), (.json(.string("fd:3")), "is \"fd:3\""),
      (.contents([51]), "is \"3\""),
    ] {
      let outcome = try await host.call("content", of: Self.id, [Argument(content)]).outcomeInTime()
      #expect(outcome.message.contains("argument 'file' \(found), expected an open file"), "\(outcome)")
    }
    #expect(PluginValue.file(file).json == "\"fd:\(file.descriptor)\"")
    #expect(PluginValue.array([.file(file)]).portableBytes == nil)
    #expect(host.unloadAll(deadline: .seconds(60)) == [])
  }

  @Test("an open file passes no terminal, folder, path or event queue, and is closed if it is refused")
  func kinds() throws {
    let folder = open("/", O_RDONLY)
    let path = open("/dev/null", 0o10000000)
    let queue = plugin_process_new_event()
    for (descriptor, reason) in [(folder, "is a folder"), (path, "O_PATH"), (queue, "is neither a file")] {
      let error = #expect(throws: ArgumentMismatch.self) { try OpenFile(taking: descriptor) }
      #expect(error?.message.contains(reason) == true, "\(error as Any)")
      #expect(fcntl(descriptor, F_GETFD) < 0)
    }
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    #expect(throws: ArgumentMismatch.self) { try OpenFile(duplicating: terminal) }
    #expect(fcntl(terminal, F_GETFD) >= 0)
    close(terminal)
    let null = try OpenFile(taking: open("/dev/null", O_RDONLY))
    #expect(null.text == "")
  }
}
