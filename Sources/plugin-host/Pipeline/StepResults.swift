import PluginRuntime
import Synchronization

/// The results that the calls of one step use, and the current element of the step's list.
///
/// Copies share their texts of JSON, which are parsed once, and their files, which are read once: by the first call
/// of the step that uses them.
struct StepResults: Sendable {
  /// The results by the numbers of their steps. The current element and its index have numbers of their own
  /// (`PipelinePlan.StepResult`).
  private var values: [Int: PluginValue]
  /// Their types, by the same numbers.
  private var shapes: [Int: ResultShape]
  /// The element with each scalar without quotes as its text; `nil` if the file does not contain the list.
  private var written: PluginValue?
  private let once = Once()

  init(_ values: [Int: PluginValue] = [:], shapes: [Int: ResultShape] = [:]) {
    (self.values, self.shapes) = (values, shapes)
  }

  subscript(step: Int) -> PluginValue? { values[step] }

  /// Returns the results with more of them, which do not replace any.
  func adding(_ results: [Int: PluginValue]) -> StepResults {
    var all = self
    all.values.merge(results) { own, _ in own }
    return all
  }

  /// Returns the results for the call for an element.
  func adding(_ element: PipelinePlan.Element, at index: Int) -> StepResults {
    var all = self
    all.values[PipelinePlan.StepResult.item] = element.value
    all.shapes[PipelinePlan.StepResult.item] = element.shape
    all.values[PipelinePlan.StepResult.index] = .uint(UInt64(index))
    all.written = element.written
    return all
  }

  /// Returns a result, or the part of one.
  func value(of result: PipelinePlan.StepResult) throws(MissingPart) -> PluginValue {
    let (step, path) = (result.step, result.path)
    let value = values[step] ?? .void
    // Each element is another one.
    guard step >= 0 else { return try path.part(of: value) }
    return try path.part(of: value) { text, number throws(MissingPart) in
      try once.json(at: Once.Place(step: step, path: Array(path.parts[..<number]))) { () throws(MissingPart) in
        try path.parsed(text, number)
      }
    }
  }

  /// Returns the type of a result, or of the part of one.
  func shape(of result: PipelinePlan.StepResult) -> ResultShape {
    (try? shapes[result.step]?.part(result.path)) ?? .any
  }

  /// Returns a result, or the part of one, as texts and expressions have it.
  func operand(_ result: PipelinePlan.StepResult) throws(MissingPart) -> PluginValue {
    shape(of: result).written(try value(of: result))
  }

  /// Returns the part of the element as written; `nil` for other results, other lists, and the parts of a result in
  /// the element.
  func written(of result: PipelinePlan.StepResult) -> PluginValue? {
    guard result.step == PipelinePlan.StepResult.item, let written else { return nil }
    return try? result.path.part(of: written)
  }

  /// Returns the content of a file, or an open file for an `fd`: a new one for each call, because it has a position.
  ///
  /// - Parameter isShared: whether the path is the same for all calls of the step.
  func content(
    ofFile path: String, for type: ValueType, isShared: Bool
  ) throws(UnreadableInput) -> Argument.Content {
    let file = ArgumentText.file(RawText.text(path.utf8))
    return isShared && type != .fd ? try once.content(of: file, at: path) : try file.content(for: type)
  }
}

/// The texts of JSON and the files of a step.
private final class Once: Sendable {
  /// The place of a text: a result, or a part of one.
  struct Place: Hashable {
    var step: Int
    var path: [ResultPath.Part]
  }

  private let texts = Mutex<[Place: PluginValue]>([:])
  private let files = Mutex<[String: Argument.Content]>([:])

  func json(at place: Place, _ parse: () throws(MissingPart) -> PluginValue) throws(MissingPart) -> PluginValue {
    try texts.withLock { texts throws(MissingPart) in
      if let value = texts[place] { return value }
      let value = try parse()
      texts[place] = value
      return value
    }
  }

  /// Other calls wait while a file is read.
  func content(of file: ArgumentText, at path: String) throws(UnreadableInput) -> Argument.Content {
    try files.withLock { files throws(UnreadableInput) in
      if let content = files[path] { return content }
      let content = try file.content()
      files[path] = content
      return content
    }
  }
}
