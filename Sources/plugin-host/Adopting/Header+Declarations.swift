extension Header {
  /// A function that the header declares.
  struct Function {
    var name: String
    /// The exported symbol.
    var symbol: String
    /// The type; nil if `CTypeParser` cannot read it.
    var type: CType?
    var parameters: [Parameter]
    var description: String?
    var isInline: Bool
    var returns: Bool
    var file: String
    /// The sizes of memory behind parameters, from attributes of the declaration.
    var accesses: [Access] = []
    /// Whether the last parameter before `...` is a format like that of `printf`, by an attribute or by the function's
    /// name.
    var isPrintf = false
  }

  /// An attribute of a declaration that one parameter counts the elements of another; both by their indices.
  struct Access: Equatable {
    var isRead: Bool
    var isWritten: Bool
    var pointer: Int
    var count: Int
  }

  /// A parameter, besides its type.
  struct Parameter {
    var name: String?
    /// Whether the parameter is written as an array, or as a typedef that may be one. Its type is a pointer in either
    /// case.
    var isArray: Bool
    /// The number of elements in the declaration or its typedef: `digest[32]`, `uuid_t id`.
    var bound: Int?
    /// The macro or the constant for this number: `key[crypto_auth_KEYBYTES]`.
    var boundName: String?
    /// Whether the header's documentation or annotation says that the function writes to the parameter's memory.
    var isWritten = false
    /// Whether the documentation or annotation of a written parameter says that the function reads the memory first.
    var isRead = false
    /// Whether the header's documentation or annotation says that the parameter may be NULL.
    var isNullable = false
    /// The names of the parameters of a function pointer that is declared in place.
    var callbackNames: [String?] = []
    /// The header's documentation of the parameter, and the comments beside it.
    var documentation = ""
  }

  /// A struct or a union.
  struct Record {
    var isUnion: Bool
    var isComplete: Bool
    /// The reason why its layout in memory is not the one that its fields alone have, if there is one.
    var irregularity: String?
    var fields: [(name: String, type: CType)]
  }
}
