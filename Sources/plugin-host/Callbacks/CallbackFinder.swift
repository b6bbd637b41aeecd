import PluginRuntime
import Synchronization

/// Makes callbacks from texts.
struct CallbackFinder {
  /// Finds a plugin and a function of it.
  var find: (_ plugin: String, _ function: String) throws(Failure) -> (PluginDescription, FunctionDescription)
  var host: @Sendable () -> Host?

  /// Makes the callback for a parameter.
  func callback(_ text: String, for parameter: String, _ type: CallbackType) throws(Failure) -> PluginCallback {
    do {
      let target: CallbackTarget
      switch CallbackText(text, for: type) {
      case .function(let plugin, let function):
        let (plugin, function) = try found(plugin, function, for: parameter)
        target = try CallbackTarget(function, of: plugin, for: parameter, type)
      case .expression:
        target = try CallbackTarget(Expression(parsing: text, names: .arguments), text: text, for: parameter, type)
      }
      return target.callback(in: host)
    } catch let failure as Failure {
      throw failure
    } catch let error as CallbackTarget.TargetError {
      throw Failure(.usage, (error.message + Self.hint(text, type)).displayLine)
    } catch {
      let message = "\"\(parameter)\" is \"\(text)\", expected PLUGIN.FUNCTION or an expression: \(error)"
      throw Failure(.usage, (message + Self.hint(text, type)).displayLine)
    }
  }

  private func found(
    _ plugin: String, _ function: String, for parameter: String
  ) throws(Failure) -> (PluginDescription, FunctionDescription) {
    do throws(Failure) {
      return try find(plugin, function)
    } catch {
      throw error.naming("\"\(parameter)\"")
    }
  }

  /// Returns a hint if the text is an expression with an error, and is also the path of a file and a function.
  private static func hint(_ text: String, _ type: CallbackType) -> String {
    guard case .expression = CallbackText(text, for: type),
      case .function(let path, _) = CallbackText("./" + text, for: type), FileKind(path: path) == .other
    else { return "" }
    return "; the path of a plugin begins with /, ./ or ../: write ./\(text)"
  }
}

/// The host of a command, for callbacks that are made before the host exists.
final class HostSlot: Sendable {
  private let content = Mutex<Host?>(nil)

  var host: Host? {
    get { content.withLock { $0 } }
    set { content.withLock { $0 = newValue } }
  }
}
