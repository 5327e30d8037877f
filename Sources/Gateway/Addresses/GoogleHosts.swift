import ConnectProxy

/// The host names of Google that FCM clients connect to. Clients that are configured for it reach this gateway
/// instead.
enum GoogleHosts {
    /// The hosts that the Admin SDKs use for messages, topics, web registrations, access tokens, and access tokens of
    /// older SDKs.
    static let names = [
        "fcm.googleapis.com", "iid.googleapis.com", "fcmregistrations.googleapis.com", "oauth2.googleapis.com",
        "www.googleapis.com",
    ]
    /// The names that the gateway's authority may certify. It does no harm to any other name, not even to Google's
    /// other ones.
    ///
    /// The authority has no address constraints: BoringSSL, which Swift clients and others use, does not support
    /// them, and refuses every certificate that contains an address if its authority has one.
    static let certifiedNames = names + ["localhost"]
    /// This machine's addresses, which the certificate also contains.
    static let certifiedAddresses = ["127.0.0.1", "::1"]
}

extension ConnectDestinations {
    /// The destinations of the proxy for FCM's clients.
    static let google = ConnectDestinations(
        hosts: GoogleHosts.names,
        purpose: """
            It leads only to this Pushgate, for FCM clients that connect to Google, under these names and port 443:
            \(GoogleHosts.names.joined(separator: ", ")).
            docs/fcm-tls.md says how to use it. For other hosts, name them in NO_PROXY.
            """)
}
