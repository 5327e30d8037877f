public import Foundation
public import NIOCore
import NIOPosix

/// How an ``APNsSimulator`` listens, what it knows, and how strict it is.
public struct APNsSimulatorConfiguration: Sendable {
    /// Which of Apple's two environments is played.
    public enum Environment: String, Sendable {
        /// Accepted notifications are answered with an `apns-unique-id`, as in Apple's development environment.
        case sandbox
        case production
    }

    /// The address senders connect to. The certificate is for it, `127.0.0.1`, `::1` and `localhost`.
    public var host = "127.0.0.1"
    /// More DNS names the certificate is for.
    public var names: [String] = []
    /// The port senders connect to; 0 for any that is free.
    public var port = 0
    /// The address of control: loopback, unless the simulator has a network of its own, as in a container. Whoever reaches
    /// it sees every token and may script every answer.
    public var controlHost = "127.0.0.1"
    /// The port of the control address; 0 for any that is free.
    public var controlPort = 0
    /// Where the CA's certificate and the provider key are written; made with mode 0700 when it is not there. `nil`
    /// for a new folder among the temporary files, removed at shutdown.
    public var directory: String?
    /// The rules requests are held to, and the keys that are believed.
    public var rules = ValidationRules()
    /// Whether to make a provider key of its own, so that a sender can be pointed at the simulator without one. It is
    /// written to the directory as `AuthKey_<key id>.p8`; one that is there already is kept.
    public var makesProviderKey = true
    /// The key id and team id of the provider key it makes.
    public var providerKeyID = "SIMULATOR1"
    public var providerTeamID = "SIMULATEAM"
    public var environment = Environment.sandbox
    /// The limit of SETTINGS_MAX_CONCURRENT_STREAMS; Apple's is about 1000.
    public var maximumConcurrentStreams = 1000
    /// Whether a connection gets one stream only until the first request with a good provider token is answered, as at
    /// Apple.
    public var startsWithOneStream = false
    /// How long every answer is held back.
    public var latency = Duration.zero
    /// Whether NIO's limiter of stream resets (200 in 30 s, then GOAWAY with ENHANCE_YOUR_CALM) stays on.
    public var limitsStreamResets = false
    /// How connections misbehave, from the first one on.
    public var connections: [ConnectionScript] = []
    /// Whether a client that does not agree on `h2` through ALPN is turned away.
    public var requiresALPN = false
    /// How many requests are kept whole. Older ones are forgotten; counting goes on.
    public var historyLimit = 200_000
    /// How many bytes of payloads are kept.
    public var historyPayloadLimit = 256 * 1024 * 1024
    /// How long requests that are being answered may take when the simulator shuts down.
    public var gracePeriod = Duration.seconds(1)
    /// The clock: for the age of provider tokens and the times in the history.
    public var now: @Sendable () -> Date = { Date() }
    /// Makes the ids of answers: UUIDs in lower case.
    public var makeUUID: @Sendable () -> String = { UUIDText.random() }
    public var eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton

    public init() {}
}
