import Foundation
import HTTPTransport
import Logging
import TestSupport
import Testing

@Suite("A gateway that clients of FCM are pointed at", .timeLimit(.minutes(1)))
struct FCMAddressTests {
    private static let settings = ["fcm.tls.port": "0", "fcm.proxy.port": "0"]

    private func withStage(_ body: (ServingProcess, _ caFile: String) async throws -> Void) async throws {
        try await withTemporaryDirectory { parent in
            try await ServingProcess.running(in: parent + "/data", Self.settings) { serving in
                try await body(serving, parent + "/data/ca.pem")
            }
        }
    }

    /// The address that the banner has behind a word.
    private func address(_ name: String, of serving: ServingProcess) throws -> String {
        let line = serving.child.outputText.split(separator: "\n").first { $0.contains("  \(name) ") }
        return try #require(line?.split(separator: " ").first { $0.contains("://") }.map(String.init))
    }

    private func client(_ configure: (inout HTTPClient.Configuration) -> Void) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configure(&configuration)
        return HTTPClient(configuration: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("says in its banner where, and which authority to trust")
    func banner() async throws {
        try await withStage { serving, caFile in
            let tls = try address("over TLS", of: serving)
            #expect(serving.child.outputText.contains("trust \(caFile)"))
            let direct = client { $0.caFile = caFile }
            #expect(try await direct.execute(HTTPClientRequest(url: tls + "/healthz")).statusCode == 200)
            let proxy = try address("proxy", of: serving)
            let proxied = client { ($0.caFile, $0.proxy) = (caFile, proxy) }
            let answer = try await proxied.execute(HTTPClientRequest(url: "https://fcm.googleapis.com/healthz"))
            #expect(answer.statusCode == 200)
        }
    }

    @Test("has the same authority after a restart, for those who trusted it before")
    func restart() async throws {
        try await withTemporaryDirectory { parent in
            let trusted = parent + "/trusted.pem"
            for isFirst in [true, false] {
                try await ServingProcess.running(in: parent + "/data", Self.settings) { serving in
                    if isFirst { try FileManager.default.copyItem(atPath: parent + "/data/ca.pem", toPath: trusted) }
                    let client = client { $0.caFile = trusted }
                    let url = try address("over TLS", of: serving) + "/healthz"
                    #expect(try await client.execute(HTTPClientRequest(url: url)).statusCode == 200)
                }
            }
        }
    }

    @Test("stops in good order with tunnels open, used or not")
    func termination() async throws {
        try await withStage { serving, caFile in
            let proxy = try address("proxy", of: serving)
            let client = client { ($0.caFile, $0.proxy) = (caFile, proxy) }
            for version in [HTTPClientRequest.Version.http2, .http1] {
                let request = HTTPClientRequest(url: "https://fcm.googleapis.com/healthz", version: version)
                #expect(try await client.execute(request).statusCode == 200)
            }
            let port = try #require(proxy.split(separator: ":").last.flatMap { UInt16($0) })
            let connect = "CONNECT fcm.googleapis.com:443 HTTP/1.1\r\nHost: fcm.googleapis.com\r\n\r\n"
            async let unused = RawExchange([.send(Array(connect.utf8))], answers: 2).run(
                port: port, within: .seconds(30))
            #expect(await RawExchange(connect).run(port: port).answers.map(\.status) == [200])
            serving.child.send(signal: SIGTERM)
            let finished = try await serving.child.finish()
            #expect(finished.exitCode == 0 && !finished.isSignalled)
            #expect(!finished.errors.contains(" error "), "\(finished.errors)")
            #expect(await unused.ending == .closed)
        }
    }
}
