package import NIOCore

/// The limits of a TLS connection.
package struct TLSConnectionLimits: Sendable {
    /// The time for the handshake, from the start of the connection.
    let handshake: TimeAmount
    /// The time without a byte in either direction; longer than any request waits for its response.
    let silence = TimeAmount.minutes(5)
    /// `true` if clients must trust the gateway's own authority, so that each handshake that fails is worth a line in
    /// the log. Anybody on the internet may try another port.
    let isByOwnAuthority: Bool
    /// The time for requests in progress at shutdown. The process allows 10 s in total.
    let shutdown = TimeAmount.seconds(8)

    /// Sets the limits that depend on the listener; the others are the same for all.
    ///
    /// - Parameters:
    ///   - handshake: The time for the handshake, from the start of the connection.
    ///   - isByOwnAuthority: `true` to log each handshake that fails.
    package init(handshake: TimeAmount, isByOwnAuthority: Bool = false) {
        self.handshake = handshake
        self.isByOwnAuthority = isByOwnAuthority
    }
}
