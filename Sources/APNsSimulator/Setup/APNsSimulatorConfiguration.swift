public import Foundation
public import NIOCore
import NIOPosix

/// The configuration of an ``APNsSimulator``: its ports, files, rules and limits.
public struct APNsSimulatorConfiguration: Sendable {
    /// One of Apple's two environments.
    public enum Environment: String, Sendable {
        /// Accepted notifications are answered with an `apns-unique-id`, as in Apple's development environment.
        case sandbox
        /// Accepted notifications are answered without an `apns-unique-id`.
        case production
    }

    /// The address for senders. The certificate is valid for it, `127.0.0.1`, `::1` and `localhost`.
    public var host = "127.0.0.1"
    /// Further DNS names of the certificate.
    public var names: [String] = []
    /// The port for senders; 0 for any free port.
    public var port = 0
    /// The port for the management of channels, which Apple has at other hosts; 0 for any free port.
    public var channelPort = 0
    /// The number of channels that an app may have.
    public var channelLimit = 10_000
    /// The control address: loopback, unless the simulator has a network of its own, as in a container. A client of it
    /// sees every device token and can script every answer.
    public var controlHost = "127.0.0.1"
    /// The port of the control address; 0 for any free port.
    public var controlPort = 0
    /// The folder for the CA and the provider key, which are used again at the next start. It is created with mode 0700
    /// if it is missing. `nil` for a temporary folder that is removed at shutdown.
    public var directory: String?
    /// The rules for requests, and the known provider keys.
    public var rules = ValidationRules()
    /// `true` to generate a provider key, so that a sender can use the simulator without a key of Apple's. It is
    /// written to the directory as `AuthKey_<key id>.p8`; an existing file is kept.
    public var makesProviderKey = true
    /// The key id of the generated provider key.
    public var providerKeyID = "SIMULATOR1"
    /// The team id of the generated provider key.
    public var providerTeamID = "SIMULATEAM"
    /// The simulated environment.
    public var environment = Environment.sandbox
    /// The limit of SETTINGS_MAX_CONCURRENT_STREAMS; Apple's is about 1000.
    public var maximumConcurrentStreams = 1000
    /// `true` to allow a connection only one stream until the first request with a valid provider token is answered,
    /// as at Apple.
    public var startsWithOneStream = false
    /// The delay of every answer.
    public var latency = Duration.zero
    /// `true` to keep NIO's limiter of stream resets (200 in 30 s, then GOAWAY with ENHANCE_YOUR_CALM).
    public var limitsStreamResets = false
    /// The steps for connections, from the first connection on.
    public var connections: [ConnectionScript] = []
    /// `true` to reject a client that does not negotiate `h2` through ALPN.
    public var requiresALPN = false
    /// The number of requests that are kept. Older ones are dropped but stay counted.
    public var historyLimit = 200_000
    /// The sum of the payloads that are kept, in bytes.
    public var historyPayloadLimit = 256 * 1024 * 1024
    /// The time that requests in progress have left at shutdown.
    public var gracePeriod = Duration.seconds(1)
    /// Returns the current time, for the age of provider tokens and the times in the history.
    public var now: @Sendable () -> Date = { Date() }
    /// Returns a new id for an answer: a UUID in lower case.
    public var makeUUID: @Sendable () -> String = { UUIDText.random() }
    /// The event loops of both ports.
    public var eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

    /// Creates a configuration with the defaults: free ports on loopback, a temporary folder, the sandbox.
    public init() {}
}
