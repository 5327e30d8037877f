/// A listener of a gateway, and the protocol spoken to it.
package enum Way: String, Sendable, CaseIterable {
    case plain = "HTTP/1"
    case tls = "HTTP/1 over TLS"
    case tunnel = "HTTP/1 through the proxy"
    case tlsHTTP2 = "HTTP/2"
    case tunnelHTTP2 = "HTTP/2 through the proxy"
    /// Bytes to the TLS listener that are no TLS.
    case tlsJunk = "no TLS"
    /// Requests to the proxy.
    case proxy = "proxy"

    /// The protocol agreed on in TLS; `nil` without TLS.
    var tlsProtocol: String? {
        switch self {
        case .tls, .tunnel: "http/1.1"
        case .tlsHTTP2, .tunnelHTTP2: "h2"
        case .plain, .tlsJunk, .proxy: nil
        }
    }

    var isTunnel: Bool { self == .tunnel || self == .tunnelHTTP2 }
}

/// The addresses of a gateway's listeners.
package struct FuzzTarget: Sendable {
    /// A name of the gateway's certificate, to which its proxy leads.
    static let name = "fcm.googleapis.com"

    let host: String
    private let port: Int
    private let tlsPort: Int?
    private let proxyPort: Int?

    /// Creates a target from its ports; `nil` for a listener that does not exist.
    package init(host: String = "127.0.0.1", port: Int, tlsPort: Int? = nil, proxyPort: Int? = nil) {
        self.host = host
        self.port = port
        self.tlsPort = tlsPort
        self.proxyPort = proxyPort
    }

    /// Returns the port of a way; `nil` if nothing listens there.
    func port(of way: Way) -> Int? {
        switch way {
        case .plain: port
        case .tls, .tlsHTTP2, .tlsJunk: tlsPort
        case .tunnel, .tunnelHTTP2, .proxy: proxyPort
        }
    }

    /// Returns the available ways of those given.
    func ways(of all: [Way]) -> [Way] { all.filter { port(of: $0) != nil } }
}
