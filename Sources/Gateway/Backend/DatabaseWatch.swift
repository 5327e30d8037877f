import DocumentStore
import Instance
import ServiceLifecycle

/// A service that ends the gateway when the files of its database were removed, replaced or cut off. Every commit looks
/// too; this finds the loss while there are none.
struct DatabaseWatch: Service {
    let files: any WatchedFiles
    let clock: any Clock<Duration>

    private static let interval = Duration.seconds(2)

    init(_ files: any WatchedFiles, clock: any Clock<Duration> = .continuous) {
        self.files = files
        self.clock = clock
    }

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do throws(StoreError) {
                    try await files.checkFiles()
                } catch {
                    throw GatewayError(
                        "\(error.message). Requests that came after that were refused, and the gateway has stopped.")
                }
                try? await clock.sleep(for: Self.interval)
            }
        }
    }
}
