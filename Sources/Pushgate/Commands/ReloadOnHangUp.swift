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
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            do {
                try gateway.reload(try await read())
            } catch {
                logger.error(
                    "the configuration was not read anew; the gateway goes on with the one it has",
                    metadata: ["error": "\(error)"])
            }
        }
    }
}
