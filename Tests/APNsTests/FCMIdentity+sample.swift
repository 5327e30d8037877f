import Messaging

@testable import APNs

extension FCMIdentity {
    /// Whom `Golden/messages.json` has its messages from.
    static let sample = FCMIdentity(messageID: "6Yq3fBz1Rk0wXo8sLd2T", senderID: "123456789012")
    /// And whom they are for.
    static let sampleInstallationID = "cYzq1XkQTkmVsGMv2bQ4Lr"
}
