import CPluginEdge
import CPromise
import Glibc

/// The check of one function of an adopted library, which ends its process: see `CheckedCall`.
///
/// It writes one line to a descriptor: "checked", the number of calls that returned and the use of arguments' contents,
/// "unmade" and a reason, "overwritten" and an argument's name, or, where a fault ends the process, a line of
/// `plugin_check.h`. The parts of a line are separated by tabs. The fourth names the function whose signature is wrong,
/// if that is a function called in preparation. The fifth counts the calls that did not return.
public enum CallChecker {
  /// Calls a function, and ends the process.
  ///
  /// - Parameters:
  ///   - name: the function's name in the adoption.
  ///   - adoption: the library, with the functions that may make objects for the call.
  ///   - report: the descriptor for the report.
  ///   - calls: the number of calls.
  ///   - seed: determines the random arguments.
  ///   - memory: parameters that take memory of the caller, as "FUNCTION.PARAMETER".
  public static func run(
    _ name: String, of adoption: Adoption, report: Int32, calls: Int = 24, seed: UInt64 = 1, memory: [String] = []
  ) -> Never {
    let text: String
    do throws(Unmade) {
      text = try check(name, of: adoption, report: report, calls: calls, seed: seed, memory: Set(memory))
    } catch {
      text = "unmade\t\(error.reason)\t\n"
    }
    end(report, text)
  }

  static func end(_ report: Int32, _ text: String) -> Never {
    var text = text
    text.withUTF8 { _ = Glibc.write(report, $0.baseAddress, $0.count) }
    plugin_check_end(0)
  }

  private static func check(
    _ name: String, of adoption: Adoption, report: Int32, calls: Int, seed: UInt64, memory: Set<String>
  ) throws(Unmade) -> String {
    let targets: [CheckedCall.Target]
    do throws(PluginError) {
      let (descriptor, library) = try PluginDescriptor.adopting(adoption)
      withExtendedLifetime(library) {}
      let constants = LibraryConstantSets(adoption.constants)
      targets = zip(adoption.functions, descriptor.entries).map {
        CheckedCall.Target($0.signature.accepting(constants), $1, memory: memory)
      }
    } catch {
      throw Unmade("\(error)")
    }
    guard let target = targets.first(where: { $0.signature.name == name }) else {
      throw Unmade("there is no such function")
    }
    let call = try CheckedCall(target)
    plugin_check_begin(report)
    let (text, usable) = attempts(calls, targets, report: report, seed: seed) { numbers, targets, seed in
      do throws(Unmade) {
        return try make(numbers, call, targets, seed) ?? whole(calls)
      } catch {
        return "unmade\t\(error.reason)\t\n"
      }
    }
    guard text == whole(calls) else { return text }
    let contents = contents(of: call) { _ = try? make(0..<calls, call, usable, seed) }
    return "\(whole(calls).dropLast())\(contents)\n"
  }

  /// The report about calls all of which returned.
  private static func whole(_ calls: Int) -> String { "checked\t\(calls)\t\n" }

  /// Makes the calls. Returns a report if there is a fault.
  private static func make(
    _ numbers: Range<Int>, _ call: CheckedCall, _ targets: [CheckedCall.Target], _ seed: UInt64
  ) throws(Unmade) -> String? {
    var values = Dice(seed: seed)
    var call = call
    guard plugin_check_confine() else { throw Unmade("this system cannot confine a process: it has no seccomp") }
    if let initializer = targets.filter(\.signature.isInitializer).min(by: {
      $0.signature.name.count < $1.signature.name.count
    }
    ), initializer.signature.name != call.signature.name {
      plugin_check_prepare(initializer.subject)
      _ = try? CheckedCall(initializer).call(&values, CheckedMemory(isAligned: true))
      plugin_check_prepare(nil)
    }
    for number in numbers {
      // A single call is one of a function that crashed, perhaps at NULL.
      try make(&call, number, targets, &values, hasUnknownData: numbers.count == 1)
      let overwritten = plugin_check_overwritten()
      if let name = overwritten.name {
        let function = overwritten.function.map { String(cString: $0) } ?? ""
        return "overwritten\t\(String(cString: name))\t\t\(function)\n"
      }
      plugin_check_retire()
    }
    return nil
  }

  /// Makes one call. Other functions make the objects that the call needs.
  private static func make(
    _ call: inout CheckedCall, _ number: Int, _ targets: [CheckedCall.Target], _ values: inout Dice,
    hasUnknownData: Bool
  ) throws(Unmade) {
    call.objects = [:]
    // The limit is the number of objects of different types that one call may need.
    for _ in 0..<8 {
      do throws(Unmade) {
        let memory = CheckedMemory(isAligned: number % 2 == 1, hasUnknownData: hasUnknownData)
        _ = try call.call(&values, memory)
        return
      } catch {
        guard let needed = error.needs else { throw error }
        let maker = CheckedObjects(targets: targets, taker: call.signature.name, isWide: hasUnknownData)
        guard call.objects[needed] == nil, let object = maker.make(needed, &values) else { throw error }
        call.objects[needed] = object
      }
    }
    throw Unmade("it needs objects of more than 7 types")
  }
}

extension Signature {
  /// Whether the name is that of a function which a program has to call before any other: `Py_Initialize`, `FcInit`.
  var isInitializer: Bool {
    let name = name.lowercased().filter { $0 != "_" }
    return parameters.isEmpty
      && ["init", "initialize", "initialise", "initparser", "initlibrary"].contains(where: name.hasSuffix)
  }
}
