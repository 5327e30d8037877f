import Foundation
import GameSiteStandIn
import Logging

/// The stand-in for the game site as a process, for measurements. It listens on a free port, and prints its address.
@main
struct GameSiteServer {
    static func main() async throws {
        let silent = Logger(label: "game-site") { _ in SwiftLogNoOpLogHandler() }
        try await GameSiteStandIn().serve(logger: silent) { url in
            FileHandle.standardOutput.write(Data((url + "\n").utf8))
        }
    }
}
