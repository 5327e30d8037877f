import Cryptography
package import HTTP2Client
import Messaging

/// A request to APNs for a device that cannot exist. The answer shows if Apple accepts an app's key.
package struct APNsProbe: Sendable {
    /// The meaning of the answer.
    package enum Verdict: Hashable, Sendable {
        /// Apple accepts the key, and says that it does not know the device.
        case accepted
        /// Apple refuses the key, with this reason.
        case keyRefused(reason: String)
        /// The key is for the other environment only.
        case wrongEnvironment
        /// Apple considers the provider token as expired, or as one of the future.
        case wrongTime
        /// The key does not send to the topic.
        case topicRefused(reason: String)
        /// Another answer, which says nothing about the settings.
        case other(status: Int, reason: String)
        /// There was no answer.
        case failed(HTTP2ClientError)
    }

    /// The meaning of the answer.
    package let verdict: Verdict
    /// The seconds by which this machine's clock is ahead of Apple's; `nil` without an answer.
    package let secondsAhead: Int64?

    /// The environment of the request.
    package let environment: APNsEnvironment
    /// The host of the request.
    package let host: String

    /// Sends the request, to the app's own environment.
    ///
    /// - Parameters:
    ///   - client: A client that sends nothing else, because Apple closes a connection after a refused key.
    ///   - now: The time in seconds since 1970.
    package init(of app: APNsApp, by client: HTTP2Client, now: Int64) async {
        let origin = app.origin(in: app.environment)
        (environment, host) = (app.environment, origin.host)
        do throws(HTTP2ClientError) {
            let response = try await client.execute(try Self.request(app, origin, now))
            secondsAhead = response.value(of: APNsHeaders.dateName).flatMap(HTTPDate.seconds).map { now - $0 }
            verdict = Verdict(APNsAnswer(status: response.statusCode, retryAfter: nil, body: response.body))
        } catch {
            (verdict, secondsAhead) = (.failed(error), nil)
        }
    }

    /// The device token, in the form of a real one.
    private static let deviceToken = String(repeating: "0", count: 64)

    private static func request(
        _ app: APNsApp, _ origin: HTTP2Origin, _ now: Int64
    ) throws(HTTP2ClientError) -> HTTP2Request {
        let token: String
        do {
            token = try ProviderToken.signed(
                with: app.key, keyID: app.keyID, teamID: app.teamID, issuedAt: ProviderToken.issuedAt(now))
        } catch {
            throw HTTP2ClientError(
                kind: .refused, message: "cannot sign a provider token: \(error.reason)", host: origin.host,
                isUnprocessed: true)
        }
        let headers = PreparedHeaders(
            origin: origin,
            [
                (APNsHeaders.topicName, app.bundleID), ("apns-push-type", "alert"), ("apns-priority", "10"),
                ("apns-expiration", "0"),
            ])
        return HTTP2Request(
            headers, path: "/3/device/\(deviceToken)", fields: [HTTP2Request.Field("authorization", "bearer \(token)")],
            body: Array(#"{"aps":{"alert":"pushgate doctor"}}"#.utf8), deadline: .seconds(15))
    }
}

extension APNsProbe.Verdict {
    init(_ answer: APNsAnswer) {
        switch (answer.status, answer.reason) {
        case (200, _), (410, _), (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"): self = .accepted
        case (403, "BadEnvironmentKeyIdInToken"): self = .wrongEnvironment
        case (403, "ExpiredProviderToken"): self = .wrongTime
        case (403, let reason): self = .keyRefused(reason: reason)
        case (400, "BadTopic"), (400, "TopicDisallowed"): self = .topicRefused(reason: answer.reason)
        case (let status, let reason): self = .other(status: status, reason: reason)
        }
    }
}
