import Messaging

@testable import APNs

extension FCMIdentity {
    /// The identity of the messages in `Golden/messages.json`.
    static let sample = FCMIdentity(messageID: "6Yq3fBz1Rk0wXo8sLd2T", senderID: "123456789012")
    /// The installation that receives the messages in `Golden/messages.json`.
    static let sampleInstallationID = "cYzq1XkQTkmVsGMv2bQ4Lr"
}
