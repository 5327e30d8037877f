import Gateway
import Logging
import ServiceLifecycle
import UnixSignals

/// Has the gateway read its configuration anew at each SIGHUP, as daemons do.
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
                "the configuration was not read anew; the gateway goes on with the one it has",
                metadata: ["error": "\(error)"])
        }
    }
}
