import Glibc
import PluginRuntime

/// Reads a pipeline file and those that it includes.
struct PipelineFiles {
  /// The files in the order of reading; a file that is included twice occurs twice.
  private(set) var files: [SourceFile] = []
  /// The files that are being read, each included by its predecessor.
  private var path: [(name: String, canonical: String)] = []

  private init() {}

  private static let maximumDepth = 16
  private static let maximumCount = 1000

  /// Reads the file at `path` as one pipeline; fails with the mistakes in it and in the files that it includes.
  static func read(
    _ path: String, by deadline: ContinuousClock.Instant? = nil
  ) throws -> (pipeline: Pipeline, files: [SourceFile]) {
    var reader = PipelineFiles()
    let file = try SourceFile.read(path, or: .usage, by: deadline)
    let pipeline = try reader.pipeline(in: file, folder: path == "-" ? "." : Directory.parent(of: path))
    return (pipeline, reader.files)
  }

  /// Reads a file. Relative paths in it start from `folder`.
  private mutating func pipeline(in file: SourceFile, folder: String) throws -> Pipeline {
    files.append(file)
    path.append((file.path, Self.canonical(file.path)))
    defer { path.removeLast() }
    var pipeline = try PipelineReader.read(file)
    pipeline.startPaths(from: folder)
    var parts: [(include: Pipeline.Include, pipeline: Pipeline)] = []
    for include in pipeline.includes {
      let name = include.file.value
      let target = name.isAbsolutePath ? name : Directory.join(folder, name)
      do {
        try check(target)
        let included = try SourceFile.readRegular(target, or: .usage, number: files.count)
        parts.append((include, try self.pipeline(in: included, folder: Directory.parent(of: target))))
      } catch let failure as Failure where failure.status == .usage {
        let message = failure.lines.map { $0.replacing("plugin-host: ", with: "") }.joined(separator: "; ")
        throw FileMistakes(files: [file], mistakes: [Mistake(location: include.file.location, message: message)])
      }
    }
    guard !parts.isEmpty else { return pipeline }
    var mistakes: [Mistake] = []
    pipeline.include(parts, mistakes: &mistakes)
    guard mistakes.isEmpty else { throw FileMistakes(files: files, mistakes: mistakes) }
    return pipeline
  }

  /// Rejects cycles and too many or too deep includes.
  private func check(_ target: String) throws(Failure) {
    let canonical = Self.canonical(target)
    if let start = path.firstIndex(where: { $0.canonical == canonical }) {
      let circle = (path[start...].map(\.name) + [target]).joined(separator: " includes ")
      throw Failure(.usage, "files cannot include each other: \(circle): remove one of these includes")
    }
    guard path.count < Self.maximumDepth, files.count < Self.maximumCount else {
      let limits = "\(Self.maximumCount) files, nested at most \(Self.maximumDepth) deep"
      throw Failure(.usage, "\(target) cannot be included: expected at most \(limits)")
    }
  }

  /// The path of a file with symbolic links resolved.
  static func canonical(_ path: String) -> String { Directory.resolved(path) ?? path }
}

extension Pipeline {
  /// Makes the relative paths of plugins and secrets start from the folder of their file.
  fileprivate mutating func startPaths(from folder: String) {
    func path(_ name: String) -> String { name.isAbsolutePath ? name : Directory.join(folder, name) }
    var renamed: [String: String] = [:]
    plugins = plugins.map { plugin in
      let name = plugin.value.isPath ? path(plugin.value) : plugin.value
      renamed[plugin.value] = name
      folders[name] = folder
      return plugin.map { _ in name }
    }
    places = Dictionary(places.map { (renamed[$0] ?? $0, $1) }) { first, _ in first }
    capabilities = Dictionary(capabilities.map { (renamed[$0] ?? $0, $1) }) { first, _ in first }
    secrets = secrets.map { secret in
      guard case .file(let file) = secret.source else { return secret }
      return Secret(name: secret.name, source: .file(file.map(path)))
    }
  }
}
