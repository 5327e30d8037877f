import Cryptography
public import Foundation
public import NIOCore
import NIOPosix

/// The configuration of a ``LocalPushService``: its ports, files, rules and limits.
public struct LocalPushServiceConfiguration: Sendable {
    /// The address for application servers and browsers: loopback, unless the service has a network of its own, as in
    /// a container. This is no public push service: every client that reaches it can subscribe. The certificate is
    /// valid for the address, `127.0.0.1`, `::1`, `localhost` and the names of the services' hosts.
    public var host = "127.0.0.1"
    /// Further DNS names of the certificate.
    public var names: [String] = []
    /// The port for application servers, over TLS; 0 for any free port.
    public var port = 0
    /// The port for browsers, without TLS: Firefox's WebSocket, and Chromium's check-in and registration; 0 for any
    /// free port.
    public var browserPort = 0
    /// The port of MCS, over TLS, for Chromium; 0 for any free port.
    public var chromiumPort = 0
    /// The port of the proxy that leads the names of the services' hosts to this service; 0 for any free port.
    public var proxyPort = 0
    /// The control address: loopback, unless the service has a network of its own, as in a container. A client of it
    /// sees every endpoint and can script every answer.
    public var controlHost = "127.0.0.1"
    /// The port of the control address; 0 for any free port.
    public var controlPort = 0
    /// The folder for the CA, the subscriptions and the messages, which are used again at the next start. It is created
    /// with mode 0700 if it is missing. `nil` for a temporary folder that is removed at shutdown.
    public var directory: String?
    /// The rules for requests.
    public var rules = PushRules()
    /// `true` for endpoints with the names of the services' own hosts, which application servers reach by the proxy.
    /// Chromium's endpoints always have Google's name, since Chromium makes them itself.
    public var usesServiceNames = false
    /// The delay of every answer.
    public var latency = Duration.zero
    /// The number of requests that are kept. Older ones are dropped but stay counted.
    public var historyLimit = 200_000
    /// The sum of the bodies that are kept, in bytes.
    public var historyBodyLimit = 256 * 1024 * 1024
    /// The time that requests in progress have left at shutdown.
    public var gracePeriod = Duration.seconds(1)
    /// Returns the current time, for tokens, lifetimes and the times in the history.
    public var now: @Sendable () -> Date = { Date() }
    /// Returns a new, unpredictable text in base64url, for endpoints and the ids of messages.
    public var makeToken: @Sendable () -> String = { Base64URL.encode(RandomBytes.generate(24)) }
    /// The event loops of all ports.
    public var eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

    /// Creates a configuration with the defaults: free ports on loopback, a temporary folder, the rules of each
    /// endpoint's service.
    public init() {}
}
