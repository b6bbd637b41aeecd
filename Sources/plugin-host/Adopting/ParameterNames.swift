/// The conventions of C programmers for names of functions and parameters, where these are evidence of memory that is
/// read, written or kept.
enum ParameterNames {
  /// Splits a name into its lowercase words: `get`, `peer`, `name` for `getPeer_name`.
  static func words(_ name: String) -> [String] {
    var words: [String] = []
    var word = ""
    var wasLower = false
    for character in name {
      if character == "_" || character.isUppercase && wasLower {
        if !word.isEmpty { words.append(word) }
        word = ""
      }
      if character != "_" { word += character.lowercased() }
      wasLower = character.isLowercase || character.isNumber
    }
    return word.isEmpty ? words : words + [word]
  }

  /// Whether a name is a plural: `values`, `points`.
  static func isPlural(_ name: String) -> Bool {
    let name = name.lowercased()
    if name.count < 3 || !name.hasSuffix("s") { return false }
    return !["ss", "us", "is", "flags", "bytes", "rows", "cols"].contains(where: name.hasSuffix)
  }

  /// Whether two names are so alike that one number may count both: `s1` and `s2`, `a` and `b`, `key` and `key_to`.
  static func areAlike(_ one: String, _ other: String) -> Bool {
    let one = one.lowercased()
    let other = other.lowercased()
    func stem(_ name: String) -> Substring { name.dropLast(name.reversed().prefix(while: \.isNumber).count) }
    return one.count == 1 && other.count == 1 || stem(one) == stem(other)
      || one.hasPrefix(other) || other.hasPrefix(one) || one.hasSuffix(other) || other.hasSuffix(one)
  }

  /// Whether a parameter of that name may have several elements: `values`, `params`, `matrix`, `v`.
  static func mayBeMany(_ name: String) -> Bool {
    if isPlural(name) { return true }
    let name = name.lowercased()
    let shapes = [
      "array", "vec", "matrix", "list", "table", "buf", "map", "data", "equation", "coord", "pixel", "sample", "limb",
      "digit", "color", "dest", "dst", "argv", "envp",
    ]
    return ["v", "m", "a", "p", "ptr", "to", "out", "set"].contains(name) || shapes.contains(where: name.contains)
  }

  /// Whether a floating-point number of that name is a single quantity: `x`, `red_x`, `width`, `val`. Others may be the
  /// first of a point, a vector or a signal, as `center` and `spectrum` are.
  static func isQuantity(_ name: String) -> Bool {
    let words = words(name).filter { $0 != "ptr" }
    guard var word = words.last else { return false }
    if word.hasSuffix("ptr") { word.removeLast(3) }
    let quantities: Set<String> = [
      "x", "y", "z", "w", "h", "d", "f", "i", "cx", "cy", "sin", "cos", "sinx", "cosx", "val", "value", "num", "number",
      "double", "float", "real", "width", "height", "depth", "length", "size", "min", "max", "minimum", "maximum",
      "sum", "mean", "average", "avg", "median", "variance", "stddev", "time", "uptime", "seconds", "begin", "start",
      "end", "stop", "angle", "radius", "distance", "scale", "ratio", "factor", "gamma", "alpha", "opacity", "lat",
      "latitude", "lon", "longitude", "lng", "rate", "speed", "level", "volume", "percent", "progress", "score",
      "error",
    ]
    return quantities.contains(word)
  }

  /// Whether a number of that name may count the elements of something: `len`, `nfds`, `displayNameCapacity`.
  static func mayCount(_ name: String) -> Bool {
    let lower = name.lowercased()
    if lower == "n"
      || ["len", "size", "count", "cap", "num", "cnt", "room", "max", "elem"].contains(where: lower.contains)
    {
      return true
    }
    guard name.first == "n", let second = name.dropFirst().first else { return false }
    return second.isUppercase || second == "_" || "bcdfgklmprstvw".contains(second)
  }

  /// Whether the name says that the function writes to the parameter's memory: `out`, `repo_out`, `window_return`.
  static func isWritten(_ name: String) -> Bool {
    let words = words(name)
    return ["out", "ret", "return", "output", "result", "res"].contains { $0 == words.first || $0 == words.last }
  }

  /// Whether the name says that the function reads the parameter's memory: `source`, `src`, `in_data`.
  static func isRead(_ name: String) -> Bool {
    let words = words(name)
    return ["source", "src", "input", "in", "inbuf"].contains { $0 == words.first || $0 == words.last }
  }

  /// Whether a number at an address is a position in data, which the function advances: `out_pos`, `offset`.
  static func isPlace(_ name: String) -> Bool {
    words(name).last.map { ["pos", "position", "offset"].contains($0) } ?? false
  }

  /// Whether a text of that name is data, whose length a `size` may be: `buffer`, `src`, but not `name`.
  static func isContent(_ name: String) -> Bool {
    let name = name.lowercased()
    let contents = ["buf", "data", "src", "source", "input", "text", "str", "mem", "content", "byte", "chunk", "msg"]
    return name.count < 3 || contents.contains(where: name.contains) || name.hasPrefix("argument")
  }

  /// Whether a function of that name changes its only data argument: `gpgrt_b64dec_proc`, `gnutls_cipher_encrypt`.
  static func worksInPlace(function name: String) -> Bool {
    let verbs: Set<String> = [
      "encrypt", "decrypt", "encode", "decode", "b64enc", "b64dec", "proc", "process", "transform", "swap", "sort",
      "reverse", "shuffle", "mask", "xor",
    ]
    return FunctionVerbs.words(name).contains { verbs.contains($0) }
  }

  /// Whether a text of that name is memory that a function fills, not one that it reads: `buffer`.
  static func isRoom(_ name: String) -> Bool { ["buf", "buffer", "name"].contains(name.lowercased()) }

  /// Whether a function of that name changes a text in place and makes it no longer: `g_strreverse`, `mkdtemp`.
  static func changesText(function name: String) -> Bool {
    let words = FunctionVerbs.words(name).map { word in
      word.hasPrefix("str") ? String(word.dropFirst(3)) : String(word.prefix { !$0.isNumber })
    }
    let verbs: Set<String> = [
      "reverse", "rev", "strip", "trim", "chomp", "chug", "chop", "delimit", "canon", "down", "up", "lower", "upper",
      "lwr", "upr", "downcase", "upcase", "lowercase", "uppercase", "squeeze", "minify", "mkdtemp", "mkstemp",
      "mkostemp",
      "mktemp", "tok", "basename", "dirname",
    ]
    return words.contains(where: verbs.contains)
  }

  /// Whether a function of that name makes an object that goes on using its data argument: `BIO_new_mem_buf`,
  /// `xmlReaderForMemory`, `g_bytes_new_static`.
  static func keepsData(function name: String) -> Bool {
    let words = FunctionVerbs.words(name)
    let last = words.suffix(3).joined()
    return words.contains("static") || words.contains("nocopy") || last.hasSuffix("capsulenew")
      || ["newmembuf", "readerformemory", "readerfordoc", "readernewmemory", "readernewdoc"].contains(last)
  }

  /// Whether a function of that name returns raw memory: `Xpermalloc`, `XtCalloc`.
  static func givesMemory(function name: String) -> Bool { name.lowercased().contains("alloc") }

  /// Whether the name is one of memory that something is copied or written to: `dest`, `to`.
  static func isDestination(_ name: String) -> Bool {
    ["dest", "dst", "destination", "to", "target"].contains(words(name).first)
  }

  /// Whether a function of that name reads its data argument in order to write or send it: `BZ2_bzwrite`, but not
  /// `image_write_to_buffer`, which writes to memory.
  static func writesData(function name: String) -> Bool {
    let words = FunctionVerbs.words(name)
    guard let verb = words.firstIndex(where: { $0.hasSuffix("write") || $0 == "send" }) else { return false }
    return !words[verb...].contains { ["to", "into", "mem", "memory", "buf", "buffer", "string"].contains($0) }
  }

  /// Whether a function reads a number of that name and replaces it: by the next value, as `rand_r(unsigned int *seed)`
  /// does, or by the next position. `lzma_stream_buffer_decode(uint64_t *memlimit, ...)` replaces it by the required
  /// value, and `gtk_init(int *argc, char ***argv)` by the number of words that remain.
  static func isState(_ name: String) -> Bool {
    ["seed", "state", "argc"].contains(words(name).last) || words(name).last?.hasSuffix("limit") ?? false
      || isPlace(name)
  }

  /// Whether a parameter of that name is set to a status or an error.
  static func isStatus(_ name: String) -> Bool {
    let name = name.lowercased().filter { $0 != "_" }
    return ["e", "ec", "err", "error", "status", "errorcode", "perrorcode", "perr", "perror"].contains(name)
  }

  /// Whether an address of that name is one behind other data of its type: `end`, `pattern_end`, `bufend` after `buf`.
  static func isLimit(_ name: String, of others: [String]) -> Bool {
    ["end", "last", "limit", "stop"].contains(words(name).last) || others.contains { name == $0 + "end" }
  }

  /// Whether a number of that name may be a length that a library passes to a callback: `bytes_read`, `avail`.
  static func mayBeLength(_ name: String) -> Bool {
    let lengths: Set<String> = [
      "read", "nread", "written", "bytes", "amount", "avail", "available", "left", "remaining", "used", "filled",
    ]
    return mayCount(name) || words(name).contains(where: lengths.contains)
  }

  /// Whether a function sets a `char **` of that name to the position where it stopped reading: `strtol`.
  static func isEnd(_ name: String) -> Bool { ["endptr", "endp", "end_ptr", "endPtr"].contains(name) }

  /// Whether a function sets a `char **` of that name to a message: `errmsg`, `pzErrMsg`, `error`.
  static func isMessage(_ name: String) -> Bool {
    let name = name.lowercased().filter { $0 != "_" }
    let names = ["errmsg", "errormsg", "errormessage", "errstr", "errorstring", "errptr"]
    return names.contains { name == $0 || name == "pz" + $0 || name == "p" + $0 }
  }

  /// Returns the number of elements of the vector that is the last argument of a function of OpenGL: `glVertex3fv`
  /// reads 3.
  static func vectorSize(function name: String) -> Int? {
    guard name.hasPrefix("gl"), name.hasSuffix("v") else { return nil }
    let type = name.dropLast().reversed().prefix { "bsifdu".contains($0) }
    guard !type.isEmpty, ["b", "s", "i", "f", "d", "ub", "us", "ui"].contains(String(type.reversed())) else {
      return nil
    }
    return name.dropLast(1 + type.count).last?.wholeNumberValue.flatMap { (2...4).contains($0) ? $0 : nil }
  }

  /// Whether C programs pass NULL for a text of that name.
  static func isOptional(_ name: String) -> Bool {
    let name = name.lowercased().replacing("_", with: "")
    let names = [
      "locale", "encoding", "charset", "vfs", "dictionary", "password", "passwd", "passphrase", "user", "username",
      "prefix", "pfx", "suffix", "domainname", "service", "hints", "options", "propq", "propquery", "properties",
      "defaultvalue", "externalid", "systemid", "publicid", "displayname",
    ]
    return names.contains { name == $0 || name == "z" + $0 }
  }

  /// Whether a function of that name may keep its argument or read it, rather than write to it: `setbuffer`,
  /// `fmemopen`, `add_key`.
  static func mayKeep(function name: String) -> Bool {
    let adding = ["add", "put", "push", "append", "insert"]
    return mayRefer(function: name) || words(name).contains { adding.contains(where: $0.hasPrefix) }
  }

  /// Whether an object may refer to counted data that a function of that name gives it, as `FT_New_Memory_Face` does.
  /// Functions that add data to an object copy them.
  static func mayRefer(function name: String) -> Bool {
    let giving = ["set", "init", "register", "attach", "bind", "construct"]
    return words(name).contains { word in
      giving.contains(where: word.hasPrefix) || word.hasSuffix("open") || ["new", "create", "use"].contains(word)
    }
  }

  /// Whether a function of that name creates or looks up an object and returns its address: `sqlite3_open`,
  /// `gnutls_x509_crt_init`.
  static func isMaker(function name: String) -> Bool {
    let makers = ["open", "new", "create", "init", "alloc", "dup", "clone", "copy", "connect", "prepare", "load"]
    return words(name).contains { word in
      word == "allocate" || makers.contains { word == $0 || word == $0 + "2" || word == $0 + "3" }
    }
  }

  /// Whether a function of that name adds to a list, whose first element it makes of NULL: `curl_slist_append`.
  static func adds(function name: String) -> Bool {
    words(name).contains { ["append", "prepend", "insert", "add", "push"].contains($0) }
  }

  /// Whether a function of that name works in place on a word that other calls use too: `g_atomic_int_inc`,
  /// `g_bit_lock`. It would have no effect on a copy.
  static func isAtomic(function name: String) -> Bool {
    words(name).contains { ["atomic", "lock", "trylock", "unlock"].contains($0) }
  }

  /// Whether a function of that name appends to the text in its argument: `strcat`, `g_strlcat`.
  static func appendsText(function name: String) -> Bool { name.lowercased().hasSuffix("cat") }

  /// Whether a function of that name finds or reads something and returns it: `mnt_context_get_fstab`.
  static func isGetter(function name: String) -> Bool {
    let getters: Set<String> = [
      "get", "find", "lookup", "search", "fetch", "read", "query", "accept", "begin", "first", "parse", "import",
      "peek", "match", "make", "build", "compile", "derive", "generate", "ref", "decode", "list", "recv", "receive",
      "collect",
    ]
    return FunctionVerbs.words(name).contains { getters.contains($0) }
  }

  /// Whether a word of a function's name begins with "get": `blkid_get_tag`, `getfilecon`, but not `widget_watch`.
  static func gets(function name: String) -> Bool { FunctionVerbs.words(name).contains { $0.hasPrefix("get") } }

  /// Whether a function of that name may fill an array of its caller: `XGetPoints`, `recvmmsg`.
  static func fillsArrays(function name: String) -> Bool {
    let verbs = ["get", "read", "query", "list", "find", "fetch", "recv", "receive", "collect", "poll", "wait"]
    return FunctionVerbs.words(name).contains { word in verbs.contains { word.hasPrefix($0) } }
  }

  /// Whether a function of that name reads its counted data, in order to set or to free something: `XSetWMProtocols`,
  /// `XFreeColors`.
  static func takes(function name: String) -> Bool {
    FunctionVerbs.words(name).contains {
      ["set", "free", "destroy", "delete", "release", "dispose", "unref"].contains($0)
    }
  }

  /// Whether a function of that name destroys an object, possibly through the address of the variable that holds it.
  static func isDestroying(function name: String) -> Bool {
    let verbs = [
      "free", "destroy", "delete", "release", "unref", "close", "clear", "cleanup", "dispose", "fini", "end",
    ]
    return FunctionVerbs.words(name).contains { word in verbs.contains { word.hasSuffix($0) } }
  }

  /// Whether a parameter is named after the type that it points to, so that it is a single object: `match_info` of
  /// `GMatchInfo`.
  static func isName(_ name: String, ofOne type: String) -> Bool {
    let words = FunctionVerbs.words(name)
    return !words.isEmpty && FunctionVerbs.words(type).suffix(words.count).elementsEqual(words)
  }

  /// Whether a `void *` of that name is unused, or is the user's context, which a library passes back to callbacks.
  /// Either may be NULL.
  static func isContext(_ name: String) -> Bool {
    let names: Set<String> = [
      "context", "ctx", "user", "userdata", "closure", "opaque", "cookie", "priv", "private", "baton", "arg", "args",
      "clientdata", "client", "cls", "env", "payload", "udata", "param", "thunk", "app", "self", "refcon",
      "ctxt", "ioctx", "wincx", "unused", "reserved",
    ]
    let all = words(name)
    // Hungarian: pArg, pUser, vdata.
    let plain = (all.count > 1 && all[0].count == 1 ? Array(all.dropFirst()) : all)
    return names.contains(plain.joined()) || plain.first.map(names.contains) ?? false
      || plain.last.map { names.contains($0) && $0 != "self" } ?? false || name == "data"
  }

  /// Whether a function of that name makes its callbacks before it returns, and keeps none: `qsort`, `g_list_foreach`,
  /// `nftw`.
  static func callsBeforeItReturns(function name: String) -> Bool {
    let short = ["sort", "search", "each", "walk", "visit", "iterate", "traverse", "enumerate", "find", "scan", "exec"]
    let words = words(name)
    let keeping = ["set", "add", "register", "on", "new", "create", "init", "start", "async", "begin", "install"]
    if words.contains(where: { word in keeping.contains { word.hasPrefix($0) } }) { return false }
    return words.contains { word in short.contains { word.hasSuffix($0) || word.hasPrefix($0) } }
      || ["ftw", "nftw", "lfind", "scandir", "glob", "dl_iterate_phdr"].contains(name)
  }

  /// Whether a function's name says that it fills a vector: `glGetLightfv`.
  static func fillsVector(function name: String) -> Bool {
    name.hasSuffix("v") && name.dropLast().last.map("bsifdIFD".contains) ?? false
  }
}
