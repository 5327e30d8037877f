import Foundation
import JSON
import Texts

/// Prints lines to standard output, in place of Swift's function in all verbs: control characters and marks of
/// direction are escaped, so that no text from outside acts on the operator's terminal.
func print(_ lines: String, terminator: String = "\n") {
    Swift.print(EscapedText.lines(lines), terminator: terminator)
}

/// Prints lines that the reader of a pipe gets at once.
func printNow(_ lines: String) {
    print(lines)
    fflush(nil)
}

extension JSONValue {
    /// The string as a part of a line, which it cannot end; `nil` if the value is no string.
    var shown: String? { string.map(EscapedText.line) }
}

extension JSONValue {
    /// Prints the warnings of a gateway's answer to standard error.
    func printWarnings() {
        for warning in self["warnings"]?.array?.compactMap(\.shown) ?? [] { printWarning(warning) }
    }
}

/// Prints a warning to standard error, where it is no part of the verb's result.
func printWarning(_ text: String) {
    FileHandle.standardError.write(Data("warning: \(EscapedText.lines(text))\n".utf8))
}
