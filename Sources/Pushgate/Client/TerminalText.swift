import Foundation
import JSON
import Texts

/// Prints lines to standard output, in place of Swift's function in all verbs: control characters and marks of
/// direction are escaped, so that no text from outside acts on the operator's terminal.
func print(_ lines: String, terminator: String = "\n") {
    Swift.print(EscapedText.lines(lines), terminator: terminator)
}

/// Prints lines that the reader of a pipe gets at once. Throws an error if nobody can read them any longer: a process
/// that ignores SIGPIPE would otherwise go on for good.
func printNow(_ lines: String) throws {
    // The lines before these.
    fflush(nil)
    var rest = Array((EscapedText.lines(lines) + "\n").utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        guard count >= 0 || errno == EINTR else {
            throw CommandError("cannot write to standard output: \(String(cString: strerror(errno)))")
        }
        rest = rest.dropFirst(max(count, 0))
    }
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
