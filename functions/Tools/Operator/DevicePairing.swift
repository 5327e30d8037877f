package import DocumentStore

/// The pairing of browsers with the agents of a system. The console has a page for it, for the first system that has
/// it.
package protocol DevicePairing: Sendable {
    /// The path of the page at which browsers subscribe.
    var pairingPage: String { get }

    /// Makes an invitation for one browser.
    ///
    /// - Parameters:
    ///   - folder: The folder that the agent works in.
    ///   - server: The key of the agent's server.
    ///   - name: The name of an agent that has none yet; `nil` for none.
    /// - Throws: `FAILED_PRECONDITION` if the server may not use the system.
    func invite(to folder: String, of server: String, name: String?) async throws(StoreError) -> PairingInvitation
}

/// An invitation for one browser. It cannot be shown again.
package struct PairingInvitation: Sendable {
    /// The code in groups, for people who type it.
    package let code: String
    /// The path of the page that takes the code, with the code in its fragment.
    package let path: String
    /// The link to the page; `nil` if the gateway does not know its address.
    package let link: String?
    /// The time at which the code expires.
    package let expiresAt: Timestamp

    package init(code: String, path: String, link: String?, expiresAt: Timestamp) {
        self.code = code
        self.path = path
        self.link = link
        self.expiresAt = expiresAt
    }
}
