import Glibc
import PluginRuntime
import Synchronization

/// A pipeline's access to the cache. Failures of the cache never fail the pipeline: they are reported once, and the
/// steps run without a cache.
final class PipelineCache: Sendable {
  private let store: ResultStore
  private let fingerprints: PluginFingerprints
  /// The run for which the results of all steps are kept until it succeeds; nil: only those of pure steps are kept.
  private let run: Digest?
  /// Takes lines for people.
  private let report: @Sendable (String) -> Void
  private let isBroken = Atomic(false)
  /// The plugins whose results are not kept, because a library is too large to be read.
  private let unread = Mutex<Set<String>>([])
  /// The digests of the calls that each step has made or found, by the step's name.
  private let calls = Mutex<[String: Set<Digest>]>([:])

  init(
    store: ResultStore, fingerprints: PluginFingerprints, run: Digest?, report: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    self.fingerprints = fingerprints
    self.run = run
    self.report = report
  }

  /// Whether the result of the call is kept. A step of `finally` runs in each run, unless it is pure.
  func keeps(_ call: PipelinePlan.Call, isFinal: Bool) -> Bool { call.isPure || run != nil && !isFinal }

  /// Reads the files of a plugin that has just been loaded: they may be replaced before its first call.
  func note(_ plugin: PluginDescription) {
    trying { try fingerprint(of: plugin) }
  }

  /// Returns the fingerprint of a plugin; nil, after a warning, if one of its libraries is too large.
  private func fingerprint(of plugin: PluginDescription) throws -> PluginFingerprint? {
    do {
      return try fingerprints.fingerprint(of: plugin)
    } catch let error as SystemError where error.code == EFBIG {
      if unread.withLock({ $0.insert(plugin.id).inserted }) {
        report(
          "plugin-host: warning: \(plugin.id): no result of it is kept: a library of it has more than "
            + "\(FileBytes.longest) bytes")
      }
      return nil
    }
  }

  /// The digest of a call's inputs, and the fingerprint of its plugin, which is one of them.
  struct Key: Sendable {
    let digest: Digest
    let fingerprint: PluginFingerprint
  }

  /// Returns the key of a call that is made now; nil if one of its inputs has no digest, such as an address. A function
  /// that is not pure may return another result for each element of a list, so the key depends on the element's index.
  ///
  /// - Parameters:
  ///   - after: the steps that the step waits for without using their results. It is made again after other calls of
  ///     theirs.
  ///   - isRescue: whether the call stands in for a rejected one, which may be the same call.
  func key(
    of call: PipelinePlan.Call, step: String, after: [String], element: PluginValue?, isRescue: Bool,
    _ arguments: [Argument]
  ) -> Key? {
    guard !isBroken.load(ordering: .relaxed) else { return nil }
    return trying {
      guard let fingerprint = try fingerprint(of: call.plugin) else { return nil }
      let plugin = fingerprint.plugin
      let function = plugin.function(named: call.function.name) ?? call.function
      var contents: [(name: String, kind: String, bytes: [UInt8])] = []
      for argument in arguments {
        guard let content = Self.content(argument.content) else { return nil }
        contents.append((argument.name ?? "", content.kind, content.bytes))
      }
      let digest = Digest { hasher in
        hasher.add("plugin-host result 4")
        if !call.isPure, let run {
          hasher.add(run.bytes)
          hasher.add(step)
          hasher.add(isRescue ? "rescue" : "call")
          if let element { hasher.add(element.json) }
          for step in after {
            hasher.add(step)
            let calls = calls.withLock { $0[step] ?? [] }.map(\.bytes)
            for call in calls.sorted(by: { $0.lexicographicallyPrecedes($1) }) { hasher.add(call) }
          }
        }
        hasher.add(fingerprint.digest.bytes)
        hasher.add("\(function.signature)")
        hasher.add(plugin.adoption?.functions.first { $0.signature.name == function.name }?.symbol ?? "")
        for constant in plugin.adoption?.constants ?? [] {
          hasher.add("\(constant.name) = \(constant.value.json)")
        }
        for (name, kind, bytes) in contents.sorted(by: { $0.name < $1.name }) {
          hasher.add(name)
          hasher.add(kind)
          hasher.add(bytes)
        }
      }
      if run != nil { calls.withLock { _ = $0[step, default: []].insert(digest) } }
      return Key(digest: digest, fingerprint: fingerprint)
    }
  }

  /// Returns the result of an earlier call; nil if there is none, or it is damaged.
  func find(_ key: Key, step: String) -> PluginValue? {
    trying {
      switch try store.find(key.digest) {
      case .found(let value): return value
      case .missing: return nil
      case .damaged:
        report("plugin-host: warning: \(step): its result in the cache is damaged; it is computed again".displayLine)
        return nil
      }
    }
  }

  /// Keeps the result of a call, unless a plugin was reloaded since its key was made: another plugin generation may
  /// have made the call.
  func keep(_ value: PluginValue, _ key: Key, of call: PipelinePlan.Call, step: String) {
    trying { () throws -> Void? in
      guard try fingerprint(of: call.plugin) == key.fingerprint else { return nil }
      do throws(Database.Failure) {
        return try store.store(
          value, key.digest, run: call.isPure ? nil : run, function: "\(call.plugin.id).\(call.function.name)",
          step: step)
      } catch {
        guard error.isTooLarge else { throw error }
        report("plugin-host: warning: \(step): its result is too large for the cache, and is not kept".displayLine)
        return nil
      }
    }
  }

  /// Removes the results that were kept for resuming this run.
  func finish() {
    guard let run else { return }
    trying { try store.forget(run: run) }
  }

  private static func content(_ content: Argument.Content) -> (kind: String, bytes: [UInt8])? {
    switch content {
    case .value(let value): value.portableBytes.map { ("value", $0) }
    case .text(let text): ("text", Array(text.utf8))
    case .contents(let bytes): ("contents", bytes)
    case .shared(let memory, isContents: true): ("contents", memory.bytes)
    case .shared(let memory, isContents: false): PluginValue.bytes(memory.bytes).portableBytes.map { ("value", $0) }
    case .json, .promise, .callback: nil
    }
  }

  @discardableResult
  private func trying<T>(_ body: () throws -> T?) -> T? {
    do {
      return try body()
    } catch {
      if !isBroken.exchange(true, ordering: .relaxed) {
        let remedy = (error as? Database.Failure).map { ResultStore.remedy($0, path: store.path) } ?? ""
        report("plugin-host: warning: the cache \(store.path): \(error); it is not used\(remedy)".displayLine)
      }
      return nil
    }
  }
}

/// One call whose result may be read from the cache, or stored in it.
final class CachedCall: Sendable {
  private let cache: PipelineCache
  private let call: PipelinePlan.Call
  private let step: String
  private let after: [String]
  /// The index of the element for which the call is made, if the step has several.
  private let element: PluginValue?
  private let isRescue: Bool
  /// The key under which to store the result; nil unless it was looked up and missing.
  private let missing = Mutex<PipelineCache.Key?>(nil)

  init(
    _ call: PipelinePlan.Call, of step: String, after: [String], element: PluginValue?, isRescue: Bool,
    in cache: PipelineCache
  ) {
    self.cache = cache
    self.call = call
    self.step = step
    self.after = after
    self.element = element
    self.isRescue = isRescue
  }

  /// Returns the result of an earlier call with these arguments, or notes the key for `keep`.
  func find(_ arguments: [Argument]) -> PluginValue? {
    let key = cache.key(of: call, step: step, after: after, element: element, isRescue: isRescue, arguments)
    guard let key else { return nil }
    if let value = cache.find(key, step: step) { return value }
    missing.withLock { $0 = key }
    return nil
  }

  /// Keeps the result of the call, if it was made.
  func keep(_ value: PluginValue) {
    guard let key = missing.withLock({ $0 }) else { return }
    cache.keep(value, key, of: call, step: step)
  }
}
