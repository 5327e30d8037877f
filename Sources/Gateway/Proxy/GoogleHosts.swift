/// The names under which clients of FCM look for Google, and find this gateway instead when they are pointed here.
enum GoogleHosts {
    /// Where the Admin SDKs send: messages; topics; web registrations; for access tokens, and for those of older ones.
    static let names = [
        "fcm.googleapis.com", "iid.googleapis.com", "fcmregistrations.googleapis.com", "oauth2.googleapis.com",
        "www.googleapis.com",
    ]
    /// What the gateway's authority may vouch for, so that it can do no harm to anybody else's name.
    static let permittedDomains = ["googleapis.com", "localhost"]
}
