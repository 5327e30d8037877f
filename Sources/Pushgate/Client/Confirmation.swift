import ArgumentParser
import Foundation
import Texts

/// The confirmation of a verb that cannot be undone.
struct Confirmation: ParsableArguments {
    @Flag(help: "Do not ask. Without a terminal the verb does nothing unless this is given.")
    var yes = false

    /// Asks on the terminal, unless the user has given `--yes`.
    ///
    /// - Parameter action: The action as the verb phrase of the question, such as `Delete all documents of x`.
    /// - Throws: An error if the user does not confirm, or if there is no terminal to ask on.
    func ask(_ action: String) throws {
        guard !yes else { return }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("There is no way back, and no terminal to ask on: give --yes. Nothing was changed.")
        }
        FileHandle.standardError.write(Data("\(EscapedText.line(action))? There is no way back. [y/N] ".utf8))
        guard ["y", "yes"].contains(readLine()?.lowercased()) else { throw CommandError("nothing was changed.") }
    }
}
