import ArgumentParser
import Foundation

/// An agent's directory as `--cwd` takes it. The whole path is what an agent is known by, so a relative one would be another
/// agent's.
enum AgentDirectory {
    static func check(_ path: String) throws {
        guard !path.hasPrefix("/") else { return }
        guard !path.isEmpty else { throw ValidationError("--cwd must not be empty.") }
        throw ValidationError(
            "--cwd takes the whole path of the agent's directory on its server, from / on. Did you mean "
                + "\(URL(fileURLWithPath: path).standardizedFileURL.path)?")
    }
}
