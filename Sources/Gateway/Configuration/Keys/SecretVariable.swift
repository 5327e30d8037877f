import Instance
package import Secrets
package import Settings

/// A secret from the environment: the value of a variable, or the contents of the file that a second variable names, as
/// Docker and Kubernetes provide secrets. The second variable's name has `_FILE` at its end.
package struct SecretVariable: Sendable {
    /// The end of the name of a variable that names a file.
    static let fileSuffix = "_FILE"

    /// The secret.
    package let value: RedactedString
    /// The name of the variable that is set.
    package let source: String
    /// The file that the secret comes from; `nil` if it is the value of a variable.
    let file: ConfiguredFile?

    /// Reads the secret of a variable; `nil` if neither variable has a value.
    ///
    /// - Throws: `ConfigurationError` if both have one, and for a file that is empty or cannot be read. The error shows
    ///   neither the value of a variable nor the contents of a file.
    package init?(_ name: String, in environment: [String: String]) throws(ConfigurationError) {
        let fileName = name + Self.fileSuffix
        let value = Self.text(of: name, in: environment)
        guard let path = Self.text(of: fileName, in: environment) else {
            guard let value else { return nil }
            self.value = RedactedString(value)
            source = name
            self.file = nil
            return
        }
        guard value == nil else {
            throw ConfigurationError(key: fileName, problem: "is set as well as \(name); unset one of them")
        }
        let file = ConfiguredFile(
            key: fileName, path: path, expected: "the path of a file with the value of \(name) alone", hidesPath: true)
        self.value = try Self.contents(of: file)
        source = fileName
        self.file = file
    }

    /// Returns the value of a variable; `nil` if it is missing or empty.
    private static func text(of name: String, in environment: [String: String]) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the text of a file without a line break at its end, which editors and `echo` add.
    private static func contents(of file: ConfiguredFile) throws(ConfigurationError) -> RedactedString {
        guard var text = String(validating: try file.contents(), as: UTF8.self) else {
            throw ConfigurationError(
                key: file.key, problem: "\(file.shownPath) is not text in UTF-8; give \(file.expected)")
        }
        if text.last == "\n" || text.last == "\r\n" { text.removeLast() }
        guard !text.isEmpty else {
            throw ConfigurationError(key: file.key, problem: "\(file.shownPath) is empty; give \(file.expected)")
        }
        return RedactedString(text)
    }
}
