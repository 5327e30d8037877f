@testable import APNsSimulator

extension ReceivedNotification {
    /// Returns a notification of the history, with defaults for everything that a test does not set.
    static func sample(
        token: String? = "ab", apnsID: String = "eabeae54-14a8-41e5-b60b-1697f925ec7b",
        headers: [(name: String, value: String)] = [], body: String = #"{"aps":{}}"#, rejection: APNsRejection? = nil
    ) -> ReceivedNotification {
        ReceivedNotification(
            number: 0, connection: 1, receivedAt: 1_800_000_000_000, token: token, apnsID: apnsID, headers: headers,
            providerToken: ProviderTokenClaims(keyID: "KEY1234567", teamID: "TEAM123456", issuedAt: 1_799_999_000),
            body: Array(body.utf8), status: rejection?.status ?? 200, reason: rejection?.reason)
    }
}
