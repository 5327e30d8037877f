/// The names under which clients of FCM look for Google, and find this gateway instead when they are pointed here.
enum GoogleHosts {
    /// Where the Admin SDKs send: messages; topics; web registrations; for access tokens, and for those of older ones.
    static let names = [
        "fcm.googleapis.com", "iid.googleapis.com", "fcmregistrations.googleapis.com", "oauth2.googleapis.com",
        "www.googleapis.com",
    ]
    /// What the gateway's authority may vouch for, and does, so that it can do no harm to anybody else's name: not to
    /// Google's other ones either.
    ///
    /// It is bound to no addresses: BoringSSL, which clients in Swift among others have, knows no such constraint, and
    /// refuses every certificate with an address in it that comes from an authority with one.
    static let certifiedNames = names + ["localhost"]
    /// This machine's, which the gateway shows besides.
    static let certifiedAddresses = ["127.0.0.1", "::1"]
}
