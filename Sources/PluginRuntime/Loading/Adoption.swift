/// A shared library that was never written as a plugin, and the signatures by which its functions are called.
///
///     let adoption = Adoption(
///       id: "libm", library: "libm.so.6",
///       functions: [.init(signature: try Signature(parsing: "pow(x: f64, y: f64) -> f64"))])
///     try host.adopt(adoption)
///     host.call("pow", of: "libm", [.text("2"), .text("10")])
///
/// Nothing can check a signature against its C function: a wrong signature gives wrong results, or ends the process. A
/// header has the right ones; `plugin-host adopt` reads it.
public struct Adoption: Sendable, Equatable {
  /// A function of the library.
  public struct Function: Sendable, Equatable {
    /// The name, the parameters and the result.
    public var signature: Signature
    /// A description in one line, for people.
    public var description: String?
    /// The exported symbol; `nil` if it is the signature's name.
    public var symbol: String?

    /// Creates a function, exported under the name in its signature unless a symbol is given.
    public init(signature: Signature, description: String? = nil, symbol: String? = nil) {
      self.signature = signature
      self.description = description
      self.symbol = symbol
    }

    var exportedName: String { symbol ?? signature.name }
  }

  /// The id, unique among the plugins of a host: letters, digits, '.', '-' and '_'.
  public var id: String
  /// A path, with a slash in it, or a name that is searched for as the system's loader does: "libz.so.1".
  public var library: String
  /// The version for display; `nil`: the text after ".so." in the name of the library's file.
  public var version: String?
  /// A description in one line, for people.
  public var description: String?
  /// The functions of the library that can be called.
  public var functions: [Function]
  /// The library's named integers, such as those that macros of its header define. Arguments for integers may be given
  /// by these names, unless the signature has names of its own for their values.
  public var constants: [ConstantSet.Constant]
  /// The file that describes the adoption, if there is one: for display, and for `PluginWatcher`.
  public var file: String?

  /// Creates an adoption; see the properties for the parts.
  public init(
    id: String, library: String, version: String? = nil, description: String? = nil, functions: [Function],
    constants: [ConstantSet.Constant] = [], file: String? = nil
  ) {
    self.id = id
    self.library = library
    self.version = version
    self.description = description
    self.functions = functions
    self.constants = constants
    self.file = file
  }
}
