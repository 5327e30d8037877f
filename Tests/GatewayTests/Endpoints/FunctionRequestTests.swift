import Functions
import HTTPTypes
import Hummingbird
import IPAddresses
import Logging
import NIOCore
import NIOEmbedded
import RequestRules
import Server
import Settings
import TestDoubles
import Testing

@testable import Gateway

@Suite("Requests to functions", .timeLimit(.minutes(10)))
struct FunctionRequestTests {
    /// A function that answers 200 to requests from this machine, and 403 to others.
    private struct LocalModule: FunctionModule {
        struct Settings: ModuleSettings, DeclaredSettings {
            static let settings: [Setting<Settings>] = []

            init() {}

            init?(_ settings: SettingsReader) { nil }
        }

        static let name = "local"
        static let source = "local"
        static let keys = SettingKeys(below: "functions.local.", Settings.self)

        init() {}

        init(settings: Settings, services: ModuleServices) {}

        var functions: [HTTPSFunction] {
            [
                HTTPSFunction(name: "local") {
                    FunctionResponse(status: $0.isFromLoopback ? .ok : .forbidden, content: .none)
                }
            ]
        }
    }

    private struct NothingThere: Error {}

    private func status(peer: String, _ headerFields: HTTPFields = [:]) async throws -> HTTPResponse.Status {
        var configuration = GatewayConfiguration()
        configuration.http.trustedProxies = [AddressRange("10.0.0.0/8")].compactMap(\.self)
        configuration.http.localPeers = [AddressRange("172.18.0.1")].compactMap(\.self)
        let clientAddress = ClientAddress(configuration.http, .silent)
        let endpoints = FunctionEndpoints(
            [LocalModule()],
            originGuard: OriginGuard(policy: OriginPolicy(configuration), clientAddress: clientAddress),
            refusals: RefusalLog(clientAddress: clientAddress, logger: .silent))
        let channel = EmbeddedChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: peer, port: 1)
        let context = GatewayRequestContext(source: .init(channel: channel, logger: .silent))
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "localhost", path: "/local", headerFields: headerFields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        return try await endpoints.handle(request, context: context) { _, _ in throw NothingThere() }.status
    }

    @Test("A request is local by its peer's address and by the addresses that trusted proxies report")
    func loopback() async throws {
        let forwarded: HTTPFields = [try #require(HTTPField.Name("X-Forwarded-For")): "127.0.0.1"]
        for (peer, fields, expected) in [
            ("127.0.0.1", [:], .ok), ("172.18.0.1", [:], .ok), ("192.0.2.1", [:], .forbidden),
            ("127.0.0.1", forwarded, .forbidden), ("10.0.0.1", forwarded, .ok), ("10.0.0.1", [:], .forbidden),
        ] as [(String, HTTPFields, HTTPResponse.Status)] {
            #expect(try await status(peer: peer, fields) == expected, "\(peer)")
        }
    }
}
