import Cryptography
import DocumentStore
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Certificate of the TLS listener", .timeLimit(.minutes(10)))
struct ServerCertificateTests {
    private let authority: CertificateAuthority
    private let clock = ManualClock()

    init() throws {
        authority = try CertificateAuthority(commonName: "Test authority", validity: .seconds(86_400 * 365))
    }

    /// Returns the certificates that clients receive one after another from a server that is configured once.
    private func shown(after steps: [Duration]) async throws -> [[UInt8]] {
        let certificate = try ServerCertificate(
            authority: authority, now: { [clock] in clock.timestamp }, logger: CollectedLog().logger)
        let context = try NIOSSLContext(configuration: certificate.tlsConfiguration)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        var shown: [[UInt8]] = []
        try await withTemporaryDirectory { directory in
            let caFile = directory + "/ca.pem"
            try authority.certificatePEM.write(toFile: caFile, atomically: true, encoding: .utf8)
            for step in steps {
                clock.advance(by: step)
                let connection = try await TLSConnection.open(
                    port: server.localAddress?.port ?? 0, trusting: caFile, protocols: [])
                shown.append(try await connection.peerCertificate())
                try await connection.close()
            }
        }
        try await server.close()
        return shown
    }

    @Test("A certificate is renewed in the running process after half of its 30 days")
    func renewal() async throws {
        let day = Duration.seconds(86_400)
        let shown = try await shown(after: [.zero, day * 14, day * 1, day * 14, day * 1])
        #expect(shown.map { shown.firstIndex(of: $0) } == [0, 0, 2, 2, 4])
    }

    @Test("A certificate is renewed if the clock is set back to before its start")
    func clockSetBack() async throws {
        let shown = try await shown(after: [.zero, .seconds(-3_600), .seconds(60)])
        #expect(shown.map { shown.firstIndex(of: $0) } == [0, 1, 1])
    }
}
