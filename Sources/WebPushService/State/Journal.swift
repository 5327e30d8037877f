import Foundation
import JSON
import SimulatorTools

/// The changes of the state in a file, a line of JSON each, so that a later run of the service goes on with it.
///
/// Lines are written without a flush: they survive the end of the process, not a power cut. At each start the file is
/// written again with what is left.
final class Journal: Sendable {
    private static let name = "service.jsonl"

    private let descriptor: Int32

    /// Opens the journal of a directory, and reads the state.
    init(in directory: SimulatorDirectory, state: inout ServiceState) throws(SimulatorSetupError) {
        for line in (directory.read(Self.name) ?? "").split(separator: "\n") {
            if let json = try? JSONValue(parsing: String(line)), let change = StateChange(json) { state.apply(change) }
        }
        // Written beside the old file: a start that is interrupted loses nothing.
        let new = try directory.write(Self.text(state.snapshot), to: Self.name + ".new", isSecret: true)
        let path = directory.path(of: Self.name)
        let descriptor = rename(new, path) == 0 ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1
        guard descriptor >= 0 else {
            throw .files(operation: "open", path: path, cause: String(cString: strerror(errno)))
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Appends changes. A full disk must not stop a test, so an error is returned and not thrown.
    ///
    /// - Returns: The cause, if they could not be written.
    func append(_ changes: [StateChange]) -> String? {
        var rest = Array(Self.text(changes).utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(cString: strerror(errno)) }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    private static func text(_ changes: [StateChange]) -> String {
        changes.map { $0.json.text + "\n" }.joined()
    }
}
