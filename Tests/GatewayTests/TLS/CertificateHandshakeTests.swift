import Cryptography
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("Handshakes with certificates from files", .timeLimit(.minutes(10)))
struct CertificateHandshakeTests {
    private let clock = ManualClock()
    private let log = CollectedLog()

    /// A server, and the files of its certificate.
    private struct Server {
        let files: TLSFiles
        let port: Int

        /// Returns the certificate that a handshake shows.
        func shown() async throws -> [UInt8] {
            let connection = try await TLSConnection.open(
                port: port, trusting: files.caFile, name: TLSFiles.name, protocols: [])
            let certificate = try await connection.peerCertificate()
            try await connection.close()
            return certificate
        }
    }

    private func withServer(_ body: (Server) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let files = try TLSFiles(in: directory)
            let certificates = try CertificateFiles(
                [.files(.init(certificate: files.certificate, key: files.key))],
                now: { [clock] in clock.timestamp }, logger: log.logger)
            let context = try NIOSSLContext(configuration: .server(certificates))
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            try await body(Server(files: files, port: server.localAddress?.port ?? 0))
            try await server.close()
        }
    }

    /// The ways in which a pair is unusable during a renewal, or after a mistake.
    enum Fault: CaseIterable {
        case junkKey, junkCertificate, otherKey, missingKey

        func apply(to files: TLSFiles) throws {
            let junk = "-----BEGIN PRIVATE KEY-----\njunk\n-----END PRIVATE KEY-----\n"
            switch self {
            case .junkKey: try junk.write(toFile: files.key, atomically: true, encoding: .utf8)
            case .junkCertificate: try junk.write(toFile: files.certificate, atomically: true, encoding: .utf8)
            case .otherKey:
                try ES256PrivateKey.generate().pem.write(toFile: files.key, atomically: true, encoding: .utf8)
            case .missingKey: try FileManager.default.removeItem(atPath: files.key)
            }
        }
    }

    @Test("None of 100 handshakes fails while the files cannot be used", arguments: Fault.allCases)
    func unusableFiles(fault: Fault) async throws {
        try await withServer { server in
            let first = try await server.shown()
            try fault.apply(to: server.files)
            var failures = 0
            for _ in 0..<100 {
                clock.advance(by: .seconds(1))
                let shown = try? await server.shown()
                if shown != first { failures += 1 }
            }
            #expect(failures == 0)
            #expect(log.lines.count { $0.contains("keeping the current one") } == 1)
        }
    }

    @Test("The first handshake a second after a renewal shows the new certificate")
    func renewal() async throws {
        try await withServer { server in
            let first = try await server.shown()
            _ = try TLSFiles(in: URL(fileURLWithPath: server.files.key).deletingLastPathComponent().path)
            clock.advance(by: .seconds(1))
            // The client trusts the new authority only.
            let renewed = try await server.shown()
            #expect(renewed != first)
            #expect(!log.lines.contains { $0.contains("keeping the current one") })
        }
    }
}
