extension HTTPClient {
    /// What holds for all requests of one client.
    ///
    /// Not to be chosen: certificates and host names are always verified, TLS is 1.2 or later, redirects are not
    /// followed, cookies are not kept, and a proxy is used only if it is named here, never one that the environment names.
    public struct Configuration: Sendable {
        /// `maximumConnectionsPerHost` (default 4): how many connections to one host and port may be open.
        public var maximumConnectionsPerHost = 4
        /// `maximumStreamsPerConnection` (default 100): how many HTTP/2 requests may be in flight on one connection.
        ///
        /// Another connection is opened only when the open ones are full. libcurl visits every request of a connection
        /// each time that connection has news, so more connections are better than more streams.
        public var maximumStreamsPerConnection = 100
        /// `maximumResponseBytes` (default 1 MiB): the longest body that is accepted.
        public var maximumResponseBytes = 1 << 20
        /// `caFile` (default the system's): a PEM file of the authorities to trust, instead of the system's.
        public var caFile: String?
        /// `proxy` (default none): the URL of a proxy, `http://127.0.0.1:3128`, to make all connections through.
        ///
        /// An `https` request goes through a tunnel (`CONNECT`, RFC 9110 §9.3.6): the proxy sees the host and nothing more.
        /// No setting of the gateway names one: it is for clients of the gateway's own proxy, which tests are.
        public var proxy: String?
        /// `connectTimeout` (default 10 s): the time for resolving, connecting and the TLS handshake.
        public var connectTimeout = Duration.seconds(10)
        /// `firstAnswerPatience` (default 500 ms): how long a fresh connection's first answer may keep other requests waiting.
        ///
        /// Until it has come the connection carries one request; after that time another connection is opened.
        public var firstAnswerPatience = Duration.milliseconds(500)
        /// `idleLifetime` (default 1 h): how long a connection without requests is kept.
        public var idleLifetime = Duration.seconds(3_600)
        /// `userAgent` (default `pushgate`): the `User-Agent` of requests that do not bring their own.
        public var userAgent = "pushgate"

        /// The defaults.
        public init() {}
    }
}
