import IPAddresses
import NIOCore
import NIOPosix
import NIOSSL

/// Makes connections: resolves the name for each one, races IPv4 and IPv6 (RFC 8305), uses the proxy if there is one,
/// and negotiates HTTP/2 in the TLS handshake.
final class Connector {
    private let eventLoop: any EventLoop
    private let timeout: TimeAmount
    private let context: Result<NIOSSLContext, any Error>
    private let proxyRule: ProxyRule
    private let connectTo: [String: HTTP2Origin]
    private let refusalOnceConnected: @Sendable (IPAddress, String) -> String?
    private let detectsOtherVersions: Bool

    init(_ configuration: HTTP2Client.Configuration, on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        timeout = TimeAmount(configuration.connectTimeout)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = configuration.detectsOtherVersions ? ["h2", "http/1.1"] : ["h2"]
        if let caFile = configuration.caFile { tls.trustRoots = .file(caFile) }
        context = Result { try NIOSSLContext(configuration: tls) }
        proxyRule = configuration.proxy
        connectTo = configuration.connectTo
        refusalOnceConnected = configuration.refusalOnceConnected
        detectsOtherVersions = configuration.detectsOtherVersions
    }

    /// Connects, and adds the connection to the channel.
    ///
    /// - Parameter fail: called on the event loop if connecting fails; never called after the handshake.
    func connect(_ connection: Connection, to origin: HTTP2Origin, fail: @escaping (ConnectError) -> Void) {
        let (deadline, proxy) = (NIODeadline.now() + timeout, proxyRule.proxy(for: origin))
        let bootstrap = ClientBootstrap(group: eventLoop).connectTimeout(timeout)
        let server = connectTo[origin.host] ?? origin
        bootstrap.connect(host: proxy?.host ?? server.host, port: proxy?.port ?? server.port)
            .assumeIsolated()
            .whenComplete { [self] result in
                switch result {
                case .failure(let error): fail(ConnectError(error, connectingTo: proxy))
                case .success(let channel):
                    let handshake = Handshake(
                        connection: connection, proxy: proxy, name: origin.name,
                        requiresHTTP2: detectsOtherVersions, fail: fail)
                    if proxy == nil, let reason = problem(of: channel, for: origin) {
                        return handshake.fail(ConnectError(kind: .couldNotConnect, message: reason), on: channel)
                    }
                    handshake.failUnlessDone(by: deadline, on: channel)
                    guard let proxy else { return shakeHands(on: channel, origin, handshake) }
                    openTunnel(on: channel, through: proxy, origin, handshake)
                }
            }
    }

    /// Returns the reason not to use a connection's address; `nil` to use it.
    private func problem(of channel: any Channel, for origin: HTTP2Origin) -> String? {
        guard let address = channel.remoteAddress?.ipAddress.flatMap({ IPAddress($0) }) else {
            return "the server has no IP address"
        }
        return refusalOnceConnected(address, origin.host).map { "the server's address is refused: \($0)" }
    }

    private func openTunnel(
        on channel: any Channel, through proxy: HTTPProxy, _ origin: HTTP2Origin, _ handshake: Handshake
    ) {
        let tunnel = TunnelHandler(proxy, to: origin) { [self] result in
            switch result {
            case .failure(let error): handshake.fail(error, on: channel)
            case .success:
                handshake.tunnelIsOpen()
                shakeHands(on: channel, origin, handshake)
            }
        }
        do {
            try channel.pipeline.syncOperations.addHandler(tunnel)
        } catch {
            handshake.fail(.proxy(proxy, "has closed the connection"), on: channel)
        }
    }

    private func shakeHands(on channel: any Channel, _ origin: HTTP2Origin, _ handshake: Handshake) {
        do {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandlers(
                NIOSSLClientHandler(context: context.get(), serverHostname: origin.name), handshake,
                handshake.connection)
        } catch {
            handshake.fail(ConnectError(kind: .tls, message: "\(error)"), on: channel)
        }
    }
}

extension HTTP2Origin {
    /// The host; `nil` if it is an address.
    fileprivate var name: String? { IPAddress(host) == nil ? host : nil }
}

extension ConnectError {
    fileprivate init(_ error: any Error, connectingTo proxy: HTTPProxy?) {
        let words = (error as? NIOConnectionError)?.words ?? "\(error)"
        self = proxy.map { .proxy($0, "cannot be reached: \(words)") } ?? Self(kind: .couldNotConnect, message: words)
    }
}

extension NIOConnectionError {
    fileprivate var words: String {
        guard connectionErrors.isEmpty else {
            return connectionErrors.map { "\($0.target): \($0.error)" }.joined(separator: "; ")
        }
        return "the name \(host) has no address"
    }
}
