import Foundation
import Hummingbird
import Logging
import NIOCore

/// A minimal Hummingbird server with one route, as a reference for the gateway. It answers like a gateway's
/// `GET /healthz`, listens on a free port of loopback, and prints its URL.
@main
struct BareHummingbird {
    static func main() async throws {
        let router = Router()
        router.get("/healthz") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"status":"ok"}"#)))
        }
        let server = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                let url = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
                FileHandle.standardOutput.write(Data(url.utf8))
            },
            logger: Logger(label: "bare") { _ in SwiftLogNoOpLogHandler() })
        try await server.run()
    }
}
