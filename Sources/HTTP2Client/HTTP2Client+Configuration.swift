extension HTTP2Client {
    /// The settings that hold for all requests of one client.
    ///
    /// Not to be chosen: certificates and host names are always verified, TLS is 1.2 or later.
    public struct Configuration: Sendable {
        /// The number of connections to one server that may be open for one group of requests.
        public var maximumConnections = 4
        /// The number of requests that may be on their way on one connection. A server may allow fewer.
        public var maximumStreams = 1_000
        /// The number of bytes that an answer's body may have.
        public var maximumResponseBytes = 1 << 20
        /// A PEM file of the authorities to trust, instead of the system's.
        public var caFile: String?
        /// The proxy to go through, and the hosts for which there is none.
        public var proxy = ProxyRule.direct
        /// The time for resolving, connecting and the TLS handshake.
        public var connectTimeout = Duration.seconds(10)
        /// The time for which a fresh connection's first answer may keep other requests waiting before another connection
        /// is opened.
        public var firstAnswerPatience = Duration.milliseconds(500)
        /// The time for which a server may be silent while a request waits before it is sent a PING; and the time that it
        /// has to answer one.
        public var silencePatience = Duration.seconds(5)
        /// The time after which a connection without requests is sent a PING (RFC 9113 §6.7).
        public var idlePingInterval = Duration.seconds(3_600)

        public init() {}
    }
}
