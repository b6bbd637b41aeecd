import Glibc
import PluginRuntime

/// Decides by the owners and modes of a plugin's path whether others could change or replace its file.
///
/// The file, each folder on its path and each symbolic link must belong to root or to the user of this process. Others
/// must not be able to write to them, except to folders with the sticky bit, such as /tmp, whose entries only their
/// owners can replace.
struct FileTrust: Sendable {
  /// The environment variable that accepts unsafe files if it is 1.
  static let variable = "PROMISE_ACCEPT_UNSAFE_FILES"

  /// Whether every file is accepted. Ignored if the system has rules of trust, which callers cannot loosen.
  var acceptsUnsafeFiles = Environment[variable] == "1"
  /// The file of the system's rules.
  var rulesOfSystem = TrustFile.ofSystem

  /// Checks the file of a plugin or a library, and those of the libraries that it needs, which are mapped with it.
  /// `library` is a path, or a name that is looked for, such as libz.so.1.
  ///
  /// Others cannot change a file after its check. A file that they add to an earlier folder of the search, between the
  /// check and the load, is not noticed.
  func check(library: String) throws(Failure) {
    guard isEnforced else { return }
    let files: [String]
    do throws(PluginError) {
      files = try LibraryAdmission.files(judgedFor: library)
    } catch {
      throw Failure(.notLoaded, "\(error)".displayLine)
    }
    for (index, file) in files.enumerated() where file.isPath {
      try check(file, for: index == 0 ? file : "\(library): needs \(file)")
    }
  }

  /// Throws the failure that names the first unsafe part of a path. A part that does not exist ends the check: loading
  /// reports it.
  func check(_ path: String) throws(Failure) { try check(path, for: path) }

  private var isEnforced: Bool { !acceptsUnsafeFiles || hasRulesOfSystem }

  private func check(_ path: String, for subject: String) throws(Failure) {
    guard isEnforced, !path.isEmpty else { return }
    var pending = Self.parts(of: Directory.absolute(path))
    var current = "/"
    var links = 0
    if let danger = Self.status(of: current).flatMap({ Self.danger(current, $0) }) { throw failure(subject, danger) }
    while let part = pending.popLast() {
      if part == ".." { current = Directory.parent(of: current) }
      if part == "." || part == ".." { continue }
      let place = Directory.join(current, part)
      guard let status = Self.status(of: place) else { return }
      if let danger = Self.danger(place, status) { throw failure(subject, danger) }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        current = place
        continue
      }
      links += 1
      guard links <= 40, let target = Self.target(of: place) else { return }
      if target.isAbsolutePath { current = "/" }
      pending += Self.parts(of: target)
    }
  }

  private func failure(_ subject: String, _ danger: String) -> Failure {
    let remedy =
      hasRulesOfSystem
      ? "; with \(rulesOfSystem) on this system, --accept-unsafe-files has no effect"
      : ", or give --accept-unsafe-files"
    return Failure(.notLoaded, "\(subject): \(danger)\(remedy)".displayLine)
  }

  private var hasRulesOfSystem: Bool { FileKind(path: rulesOfSystem) != .missing }

  /// Returns the names on a path, the last first.
  private static func parts(of path: String) -> [String] { path.parts(separatedBy: "/").reversed() }

  private static func status(of path: String) -> stat? {
    var status = stat()
    return lstat(RawText.cString(path), &status) == 0 ? status : nil
  }

  private static func target(of link: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(RawText.cString(link), &buffer, buffer.count)
    guard length > 0, length < buffer.count else { return nil }
    return RawText.text(buffer.prefix(length).map(UInt8.init(bitPattern:)))
  }

  /// Returns the danger of a file, a folder or a link, with the remedy; `nil` if it is safe.
  private static func danger(_ path: String, _ status: stat) -> String? {
    let user = geteuid()
    guard status.st_uid == 0 || status.st_uid == user else {
      let owners = user == 0 ? "root" : "root or \(User.name(of: user))"
      return "\(path) belongs to \(User.name(of: status.st_uid)), who can change it; expected \(owners): "
        + "change its owner by chown"
    }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    // The kernel ignores the mode of a link, and loading refuses a FIFO or a device.
    guard isFolder || status.st_mode & S_IFMT == S_IFREG else { return nil }
    if isFolder && status.st_mode & S_ISVTX != 0 { return nil }
    if status.st_mode & S_IWOTH != 0 { return "every user can write to \(path): take the right away by chmod o-w" }
    if status.st_mode & S_IWGRP != 0, !User.isPrivate(group: status.st_gid, of: status.st_uid) {
      return "the group \(User.groupName(of: status.st_gid)) can write to \(path): take the right away by chmod g-w"
    }
    return nil
  }
}

/// Users and groups of the system.
enum User {
  /// Returns the name of a user, or the number of a user without a name.
  static func name(of user: uid_t) -> String { getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)" }

  /// Returns the name of a group, or the number of a group without a name.
  static func groupName(of group: gid_t) -> String {
    getgrgid(group).map { String(cString: $0.pointee.gr_name) } ?? "\(group)"
  }

  /// Whether a group has the name of the user and no other member, by the group's record or as the group of a user's
  /// record. Many systems create such a group for each user.
  static func isPrivate(group: gid_t, of user: uid_t) -> Bool {
    let owner = name(of: user)
    guard let record = getgrgid(group), String(cString: record.pointee.gr_name) == owner else { return false }
    var member = record.pointee.gr_mem
    while let name = member?.pointee {
      if String(cString: name) != owner { return false }
      member = member?.successor()
    }
    setpwent()
    defer { endpwent() }
    while let other = getpwent()?.pointee {
      if other.pw_gid == group, other.pw_uid != user { return false }
    }
    return true
  }
}
