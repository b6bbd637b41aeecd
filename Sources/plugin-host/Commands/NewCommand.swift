import ArgumentParser
import Glibc
import PluginRuntime

struct NewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Write a new plugin: a source, a Makefile, a test and a README.",
    discussion: """
      The plugin has three functions and passes its test: plugin-host new sums; cd sums; make test. Nothing is \
      overwritten.

      \(ExitStatus.help)
      """)

  @Option(help: "The language of the source.")
  var language = PluginTemplate.Language.c

  @Option(help: ArgumentHelp("The plugin's id; otherwise org.example.NAME.", valueName: "id"))
  var id: String?

  @ArgumentParser.Argument(
    help: ArgumentHelp("The plugin's name, or the path of the folder to make, which ends in it.", valueName: "name"))
  var path: String

  func run() throws {
    guard let template = PluginTemplate(name: Directory.name(of: path), id: id, language: language) else {
      throw Failure(
        .usage,
        "\(path): no name for a plugin: expected letters, digits and '_', and a letter first".displayLine)
    }
    try create { mkdir(RawText.cString(path), 0o777) == 0 }
    for file in template.files {
      let place = Directory.join(path, file.name)
      try create {
        let descriptor = open(RawText.cString(place), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return (try? FileBytes.write(file.text.utf8, to: descriptor)) != nil
      }
    }
    try StandardOutput.write(template.files.map { Directory.join(path, $0.name) + "\n" }.joined())
  }

  func validate() throws {
    if let id, !PluginDescription.isID(id) {
      throw ValidationError("the id \"\(id)\": expected letters, digits, '.', '-' and '_'")
    }
  }

  /// Creates the folder or a file in it by `make`, which returns whether it succeeded.
  private func create(_ make: () -> Bool) throws(Failure) {
    guard !make() else { return }
    let error = SystemError.last
    let advice = error.code == EEXIST ? ": it is not overwritten; choose another name" : ": \(error)"
    throw Failure(.rejected, "\(path)\(advice)".displayLine)
  }
}

extension PluginTemplate.Language: ExpressibleByArgument {}
