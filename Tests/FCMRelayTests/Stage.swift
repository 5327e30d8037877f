import DocumentStore
import FCMRelay
import GoogleStandIn
import HTTPClient
import JSON
import Logging
import TestDoubles

@testable import Messaging

/// A transport that sends to a stand-in, with its own clock and log.
struct Stage {
    let transport: FCMRelayTransport
    let clock = ManualClock()
    let log = CollectedLog()

    /// - Parameters:
    ///   - endpoint: the URL to send to instead of the stand-in's.
    ///   - caFile: the file of certificate authorities to trust there.
    ///   - change: a change to the account's file.
    init(
        _ google: GoogleStandIn, endpoint: String? = nil, caFile: String? = nil, deadline: Duration = .seconds(30),
        _ change: (inout JSONObject) -> Void = { _ in }
    ) throws {
        var file = google.serviceAccount
        change(&file)
        var configuration = HTTPClient.Configuration()
        configuration.caFile = caFile
        transport = FCMRelayTransport(
            account: try ServiceAccount(json: JSONValue.object(file).serialized),
            endpoint: endpoint ?? google.url + "/",
            client: HTTPClient(configuration: configuration, logger: log.logger), deadline: deadline,
            now: { [clock] in clock.timestamp.seconds }, jitter: { 0 }, logger: log.logger)
    }

    /// - Parameter age: the time since the message was accepted, in seconds.
    func prepare(_ message: Message, age: Int64? = nil) -> any PreparedMessage {
        transport.prepare(
            OutgoingMessage(
                message: message, lane: Lane(transport: .fcm), expiration: clock.timestamp.seconds + 3_600,
                acceptedAt: age.map { clock.timestamp.seconds - $0 }))
    }

    func send(_ message: Message, to token: String) async -> Outcome {
        await prepare(message).send(notification(to: token))
    }
}

func notification(to token: String) -> OutgoingNotification {
    OutgoingNotification(
        id: NotificationID(chunk: ChunkID(message: "m", number: 0), index: 0),
        target: Target(
            address: PushAddress(transport: .fcm, token: RegistrationToken(token)), registration: nil))
}
