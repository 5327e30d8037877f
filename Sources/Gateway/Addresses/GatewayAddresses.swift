import Signals
import Synchronization

/// The URLs that a gateway listens at.
package struct GatewayAddresses: Hashable, Sendable {
    /// The URL of `http.port`, for example `http://127.0.0.1:8080`.
    package let http: String
    /// The URL of the HTTPS port, for example `https://push.example.com`; `nil` if it is not configured.
    package let https: String?
    /// The URL of `http.redirectPort`, for example `http://[::]:80`; `nil` if it is not configured.
    package let redirect: String?
    /// The URL of `fcm.tls.port`, the same API over TLS, for example `https://127.0.0.1:8443`; `nil` if it is not
    /// configured.
    package let tls: String?
    /// The URL of `fcm.proxy.port`, the proxy, for example `http://127.0.0.1:8444`; `nil` if it is not configured.
    package let proxy: String?

    /// Returns the loopback address to connect to if `host` means all addresses; `nil` if `host` is a specific
    /// address.
    static func loopback(insteadOf host: String) -> String? {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: nil
        }
    }

    /// Returns a URL such as `http://[::1]:8080`. IPv6 addresses are put in brackets (RFC 3986 §3.2.2).
    static func url(scheme: String, host: String, port: Int) -> String {
        "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

/// The URL that a server listens at. It is known shortly after the start; callers can wait for it.
final class ListeningAddress: Sendable {
    private struct State {
        var isKnown = false
        var url: String?
    }

    private let state = Mutex(State())
    private let announced = Signal()

    /// The URL, as soon as it is known; `nil` if the gateway ended before it listened.
    var url: String? {
        get async {
            await announced.waitEvenIfCancelled { self.state.withLock(\.isKnown) }
            return state.withLock(\.url)
        }
    }

    /// The URL, as soon as it is known; `nil` if the gateway ended before it listened, or if the task is cancelled.
    var urlUnlessCancelled: String? {
        get async {
            await announced.wait { self.state.withLock(\.isKnown) }
            return state.withLock(\.url)
        }
    }

    /// Sets the URL and resumes the callers that wait. Only the first call counts: an end after a start changes
    /// nothing.
    func announce(_ url: String?) {
        state.withLock { state in
            if !state.isKnown { state = State(isKnown: true, url: url) }
        }
        announced.notify()
    }
}
