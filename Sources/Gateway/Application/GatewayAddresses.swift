import Synchronization

/// The URLs that a gateway listens at.
package struct GatewayAddresses: Hashable, Sendable {
    /// The URL of `http.port`, for example `http://127.0.0.1:8080`.
    package let http: String
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
    private enum State {
        case awaited(by: [CheckedContinuation<String?, Never>])
        case known(String?)
    }

    private let state = Mutex(State.awaited(by: []))

    /// The URL, as soon as it is known; `nil` if the gateway ended before it listened.
    var url: String? {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> String?? in
                    switch state {
                    case .known(let url): return .some(url)
                    case .awaited(let waiters):
                        state = .awaited(by: waiters + [continuation])
                        return .none
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }

    /// Sets the URL and resumes the callers that wait. Only the first call counts: an end after a start changes
    /// nothing.
    func announce(_ url: String?) {
        let waiters = state.withLock { state in
            guard case .awaited(let waiters) = state else { return [CheckedContinuation<String?, Never>]() }
            state = .known(url)
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: url) }
    }
}
