/// The names of the parts of an address at a relay, in bodies of clients and in stored addresses.
enum RelayField {
    static let address = "address"
    static let sendSecret = "send_secret"
    static let publicKey = "p256dh"
    static let authenticationSecret = "auth"
    static let collapseKey = "collapse_key"
}
