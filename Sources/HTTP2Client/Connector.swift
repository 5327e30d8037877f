internal import NIOCore
internal import NIOExtras
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// The reason for which there is no connection.
struct ConnectError: Error {
    let kind: HTTP2ClientError.Kind
    let message: String
}

/// Makes connections: resolves the name anew for each, races IPv4 and IPv6 (RFC 8305), goes through the proxy if there is one,
/// and shakes hands by TLS, asking for HTTP/2.
final class Connector {
    private let eventLoop: any EventLoop
    private let timeout: TimeAmount
    private let context: Result<NIOSSLContext, any Error>
    private let proxy: Proxy?

    private struct Proxy {
        let host: String
        let port: Int
    }

    init(_ configuration: HTTP2Client.Configuration, on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        timeout = TimeAmount(configuration.connectTimeout)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["h2"]
        if let caFile = configuration.caFile { tls.trustRoots = .file(caFile) }
        context = Result { try NIOSSLContext(configuration: tls) }
        proxy = configuration.proxy.flatMap(Self.proxy)
    }

    private static func proxy(_ url: String) -> Proxy? {
        let authority = url.hasPrefix("http://") ? String(url.dropFirst("http://".count)) : url
        guard let origin = HTTP2Origin("https://" + authority.prefix { $0 != "/" }) else { return nil }
        return Proxy(host: origin.host, port: origin.port == 443 ? 80 : origin.port)
    }

    /// Connects, and gives the connection its channel.
    ///
    /// - Parameter fail: called, on the event loop, if that does not work out; never after the handshake.
    func connect(_ connection: Connection, to origin: HTTP2Origin, fail: @escaping (ConnectError) -> Void) {
        let deadline = NIODeadline.now() + timeout
        let bootstrap = ClientBootstrap(group: eventLoop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .connectTimeout(timeout)
        bootstrap.connect(host: proxy?.host ?? origin.host, port: proxy?.port ?? origin.port)
            .assumeIsolated()
            .whenComplete { [self] result in
                switch result {
                case .failure(let error): fail(Self.error(of: error))
                case .success(let channel):
                    let handshake = Handshake(connection: connection, fail: fail)
                    handshake.failUnlessDone(by: deadline, on: channel)
                    if proxy == nil {
                        shakeHands(on: channel, origin, handshake)
                    } else {
                        openTunnel(on: channel, origin, deadline, handshake)
                    }
                }
            }
    }

    private func shakeHands(on channel: any Channel, _ origin: HTTP2Origin, _ handshake: Handshake) {
        do {
            let name = origin.isAddress ? nil : origin.host
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandlers(
                NIOSSLClientHandler(context: context.get(), serverHostname: name), handshake, handshake.connection)
        } catch {
            handshake.fail(ConnectError(kind: .tls, message: "\(error)"), on: channel)
        }
    }

    private func openTunnel(
        on channel: any Channel, _ origin: HTTP2Origin, _ deadline: NIODeadline, _ handshake: Handshake
    ) {
        let opened = eventLoop.makePromise(of: Void.self)
        let encoder = HTTPRequestEncoder()
        let decoder = ByteToMessageHandler(HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes))
        let tunnel = NIOHTTP1ProxyConnectHandler(
            targetHost: origin.host.contains(":") ? "[\(origin.host)]" : origin.host, targetPort: origin.port,
            headers: [:], deadline: deadline, promise: opened)
        let pipeline = channel.pipeline.syncOperations
        opened.futureResult.assumeIsolated().whenComplete { [self] result in
            switch result {
            case .failure(let error):
                let message = "the proxy opens no tunnel: \(error)"
                handshake.fail(ConnectError(kind: .couldNotConnect, message: message), on: channel)
            case .success:
                pipeline.removeHandler(encoder).assumeIsolated()
                    .flatMap { pipeline.removeHandler(decoder).assumeIsolated().nonisolated() }
                    .flatMap { pipeline.removeHandler(tunnel).assumeIsolated().nonisolated() }
                    .whenComplete { [self] _ in shakeHands(on: channel, origin, handshake) }
            }
        }
        do {
            try pipeline.addHandlers(encoder, decoder, tunnel)
        } catch {
            opened.fail(error)
        }
    }

    fileprivate static func error(of error: any Error) -> ConnectError {
        switch error {
        case let error as NIOSSLError: ConnectError(kind: .tls, message: "\(error)")
        case let error as BoringSSLError: ConnectError(kind: .tls, message: "\(error)")
        case let error as NIOSSLExtraError: ConnectError(kind: .tls, message: error.description)
        case let error as NIOConnectionError: ConnectError(kind: .couldNotConnect, message: error.words)
        default: ConnectError(kind: .couldNotConnect, message: "\(error)")
        }
    }
}

extension HTTP2Origin {
    fileprivate var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: port)) != nil }
}

extension NIOConnectionError {
    fileprivate var words: String {
        guard connectionErrors.isEmpty else {
            return connectionErrors.map { "\($0.target): \($0.error)" }.joined(separator: "; ")
        }
        return "the name \(host) has no address"
    }
}
