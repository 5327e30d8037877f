import Logging

/// Runs a stand-in for the game site on a free port of loopback while the body runs.
package func withGameSite<Output>(_ body: (GameSiteStandIn) async throws -> Output) async throws -> Output {
    let site = GameSiteStandIn()
    let (urls, listening) = AsyncStream.makeStream(of: String.self)
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            defer { listening.finish() }
            let silent = Logger(label: "game-site") { _ in SwiftLogNoOpLogHandler() }
            try await site.serve(logger: silent) { listening.yield($0) }
        }
        guard await urls.first(where: { _ in true }) != nil else {
            try await tasks.waitForAll()
            throw SiteNeverListened()
        }
        defer { tasks.cancelAll() }
        return try await body(site)
    }
}

/// The stand-in ended before it listened, without an error.
struct SiteNeverListened: Error {}
