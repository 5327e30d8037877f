@testable import ConnectProxy

extension ConnectDestinations {
    /// The hosts of Google that clients of FCM connect to.
    static let google = ConnectDestinations(
        hosts: [
            "fcm.googleapis.com", "iid.googleapis.com", "fcmregistrations.googleapis.com", "oauth2.googleapis.com",
            "www.googleapis.com",
        ],
        purpose: "It leads to these hosts only.")
}
