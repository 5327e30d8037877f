import Cryptography
import Foundation
import HTTP2Client
import NIOCore
import NIOPosix
import NIOSSL

/// An HTTP/2 server over TLS that sees each frame, and answers as its script says.
final class FrameServer: Sendable {
    typealias Script = @Sendable (Frame, FrameConnection) -> Void

    let record: FrameRecord
    private let listener: any Channel
    private let host: String
    private let authorities: String

    /// - Parameters:
    ///   - names: The names of the certificate, in addition to the loopback addresses.
    ///   - settings: The values of the server's first SETTINGS.
    ///   - script: The function called with each frame. SETTINGS and PING are already answered.
    init(
        host: String = "127.0.0.1", names: [String] = ["localhost"], addresses: [String] = ["127.0.0.1", "::1"],
        settings: [Frame.Setting: UInt32] = [:],
        script: @escaping Script = { frame, connection in
            if frame.endsRequest { connection.send(.answer(to: frame.stream)) }
        }, tls configure: (inout TLSConfiguration) -> Void = { _ in }
    ) async throws {
        let authority = try CertificateAuthority(commonName: "Test authority", validity: .seconds(3_600))
        let issued = try authority.issue(
            commonName: "test", dnsNames: names, ipAddresses: addresses, validity: .seconds(3_600))
        authorities = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pem").path
        try Data(authority.certificatePEM.utf8).write(to: URL(filePath: authorities))
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(issued.certificatePEM.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(issued.privateKeyPEM.utf8), format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.applicationProtocols = ["h2"]
        configure(&tls)
        let context = try NIOSSLContext(configuration: tls)
        let record = FrameRecord()
        self.record = record
        self.host = host
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: context), FrameHandler(record, .settings(settings), script))
                }
            }
            .bind(host: host, port: 0).get()
    }

    deinit { try? FileManager.default.removeItem(atPath: authorities) }

    /// Closes the port and all connections.
    func stop() async {
        try? await listener.close()
        record.closeAll()
    }

    /// Returns a client that trusts the server and has long time limits, unless the closure changes that.
    func client(_ configure: (inout HTTP2Client.Configuration) -> Void = { _ in }) -> HTTP2Client {
        HTTP2Client.forTest {
            $0.caFile = authorities
            $0.connectTimeout = .seconds(60)
            $0.firstAnswerPatience = .seconds(60)
            $0.silencePatience = .seconds(60)
            configure(&$0)
        }
    }

    /// - Parameter name: The host's name, if it is not the listening address.
    func request(_ name: String? = nil, body: Int = 0, deadline: Duration = .seconds(60)) -> HTTP2Request {
        let origin = HTTP2Origin(host: name ?? host, port: listener.localAddress?.port ?? 0)
        return HTTP2Request(
            PreparedHeaders(origin: origin, []), path: "/", body: [UInt8](repeating: 0x62, count: body),
            deadline: deadline)
    }
}
