import DocumentStore
import Messaging
import Testing

@testable import APNs

@Suite("Answers of APNs")
struct APNsAnswerTests {
    @Test("A 200 from APNs is an accepted notification")
    func accepted() {
        #expect(APNsAnswer(status: 200, retryAfter: nil, body: []).outcome == .accepted)
    }

    @Test(
        "A 410 from APNs marks the token as unregistered since the timestamp in milliseconds",
        arguments: ["Unregistered", "ExpiredToken"])
    func dead(reason: String) {
        let body = Array(#"{"reason":"\#(reason)","timestamp":1700000000123}"#.utf8)
        #expect(
            APNsAnswer(status: 410, retryAfter: nil, body: body).outcome
                == .rejected(
                    Rejection(
                        code: .registrationTokenNotRegistered, reason: reason,
                        verdict: PlatformVerdict(by: .apns, status: 410, reason: reason),
                        invalidation: .unregistered(since: Timestamp(microseconds: 1_700_000_000_123_000)))))
    }

    @Test(
        "A token that APNs refuses for this app is rejected as an invalid registration token",
        arguments: ["BadDeviceToken", "DeviceTokenNotForTopic"])
    func wrongToken(reason: String) {
        #expect(
            APNsAnswer(status: 400, reason: reason).outcome
                == .rejected(
                    Rejection(
                        code: .invalidRegistrationToken, reason: reason,
                        verdict: PlatformVerdict(by: .apns, status: 400, reason: reason), invalidation: .unrecognized)))
    }

    @Test(
        "An invalid request is rejected by APNs for good and keeps the registration",
        arguments: [
            (400, "BadCollapseId"), (400, "BadExpirationDate"), (400, "BadMessageId"), (400, "BadPriority"),
            (400, "BadTopic"), (400, "DuplicateHeaders"), (400, "InvalidPushType"), (400, "MissingTopic"),
            (400, "PayloadEmpty"), (400, "TopicDisallowed"), (404, "BadPath"), (405, "MethodNotAllowed"),
            (413, "PayloadTooLarge"), (400, "SomethingNew"), (418, "Teapot"),
        ])
    func ours(status: Int, reason: String) {
        #expect(
            APNsAnswer(status: status, reason: reason).outcome
                == .rejected(
                    Rejection(
                        code: .invalidArgument, reason: reason,
                        verdict: PlatformVerdict(by: .apns, status: status, reason: reason))))
    }

    @Test(
        "A temporary error of APNs is a failure to retry",
        arguments: [
            (400, "IdleTimeout", MessagingErrorCode.serverUnavailable),
            (429, "TooManyRequests", .messageRateExceeded),
            (500, "InternalServerError", .internalError), (503, "ServiceUnavailable", .serverUnavailable),
            (503, "Shutdown", .serverUnavailable), (502, "HTTP502", .serverUnavailable),
            (302, "HTTP302", .unknownError),
        ])
    func transient(status: Int, reason: String, code: MessagingErrorCode) {
        #expect(APNsAnswer(status: status, reason: reason).outcome == .failed(Failure(code: code, reason: reason)))
    }

    @Test(
        "An APNs error about the provider key holds up the whole lane",
        arguments: [
            (403, "InvalidProviderToken"), (403, "MissingProviderToken"), (403, "ExpiredProviderToken"),
            (403, "Forbidden"), (403, "UnrelatedKeyIdInToken"), (403, "BadEnvironmentKeyIdInToken"),
            (403, "SomethingNew"), (429, "TooManyProviderTokenUpdates"),
        ])
    func key(status: Int, reason: String) {
        #expect(
            APNsAnswer(status: status, reason: reason).outcome
                == .failed(Failure(code: .thirdPartyAuthError, reason: reason, laneFailure: .refused)))
    }

    @Test("A Retry-After of APNs in seconds counts up to an hour, and an unreadable one is ignored")
    func retryAfter() {
        let patient = APNsAnswer(status: 503, retryAfter: "120", body: []).outcome
        #expect(
            patient == .failed(Failure(code: .serverUnavailable, reason: "HTTP503", retryAfter: .seconds(120))))
        let endless = APNsAnswer(status: 503, retryAfter: "9223372036854775807", body: []).outcome
        #expect(
            endless == .failed(Failure(code: .serverUnavailable, reason: "HTTP503", retryAfter: .seconds(3_600))))
        let vague = APNsAnswer(status: 503, retryAfter: "soon", body: Array("not json".utf8)).outcome
        #expect(vague == .failed(Failure(code: .serverUnavailable, reason: "HTTP503")))
    }
}
