/// The settings of FCM's interface.
package struct FCMSettings: Sendable {
    /// The id of the Firebase project that the gateway presents itself as.
    let projectID: String
    /// The time that `messages:send` waits for the push service before it answers that the message is accepted.
    let sendWait: Duration
    /// The maximum number of `messages:send` a minute with the access tokens of one service account; 0 removes the
    /// limit.
    let messagesPerMinutePerAccount: Int
    /// The error that reports a token that Apple calls unregistered.
    let unregisteredAs: UnregisteredError

    /// Collects the settings. The gateway's `FCMSection` has their meanings and defaults.
    package init(
        projectID: String, sendWait: Duration, messagesPerMinutePerAccount: Int, unregisteredAs: UnregisteredError
    ) {
        self.projectID = projectID
        self.sendWait = sendWait
        self.messagesPerMinutePerAccount = messagesPerMinutePerAccount
        self.unregisteredAs = unregisteredAs
    }

    /// The project number that apps use, of twelve digits like those of Google's projects. It depends on the project
    /// id only.
    var senderID: String {
        let hash = projectID.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return String(100_000_000_000 + hash % 900_000_000_000)
    }
}

/// The error with which `messages:send` reports a token that Apple calls unregistered: `fcm.unregisteredAs`.
package enum UnregisteredError: String, Sendable, CaseIterable {
    /// Status 404, on which every SDK forgets the token.
    case unregistered
    /// Status 400, as newer versions of FCM answer.
    case invalidArgument = "invalid_argument"
}
