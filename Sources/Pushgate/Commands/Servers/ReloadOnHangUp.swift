import Foundation
import Gateway
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

/// A service that reloads the gateway's configuration at each SIGHUP.
struct ReloadOnHangUp: Service {
    let gateway: Gateway
    let logger: Logger
    let read: @Sendable () async throws -> GatewayConfiguration

    func run() async {
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        if EarlyHangUp.hasCome { await reload() }
        for await _ in hangUps.cancelOnGracefulShutdown() { await reload() }
    }

    private func reload() async {
        do {
            try gateway.reload(try await read())
        } catch {
            logger.error(
                "failed to reload the configuration; keeping the current one",
                metadata: ["error": "\(error)"])
        }
    }
}

/// A handler for a SIGHUP during the start, before ``ReloadOnHangUp`` runs. Without it the signal would end the
/// process.
enum EarlyHangUp {
    private static let flag = Atomic(false)

    /// `true` if a SIGHUP came before another handler was installed.
    static var hasCome: Bool { flag.load(ordering: .acquiring) }

    /// Installs the handler. It must be called before anything else.
    static func remember() {
        // Initializes the flag: a signal handler may only store a value.
        flag.store(false, ordering: .releasing)
        signal(SIGHUP) { _ in EarlyHangUp.flag.store(true, ordering: .releasing) }
    }
}
