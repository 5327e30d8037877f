import Messaging
import Testing

@testable import APNs

@Suite("Apple's answers to requests about channels")
struct ChannelErrorTests {
    @Test(
        "Each of Apple's reasons is a kind of failure, whatever the status",
        arguments: [
            ("BadChannelId", .unknownChannel), ("ChannelNotRegistered", .unknownChannel),
            ("CannotCreateChannelConfig", .limitReached), ("FeatureNotEnabled", .featureOff),
            ("BroadcastFeatureNotEnabled", .featureOff), ("TopicMismatch", .wrongApp), ("BadTopic", .wrongApp),
            ("TopicDisallowed", .wrongApp), ("TooManyProviderTokenUpdates", .refused), ("IdleTimeout", .unavailable),
        ] as [(String, ChannelError.Kind)])
    func reasons(reason: String, kind: ChannelError.Kind) {
        for status in [400, 403, 404, 410, 429] {
            #expect(ChannelError(APNsAnswer(status: status, reason: reason)) == ChannelError(kind, reason: reason))
        }
    }

    @Test(
        "A reason about the request itself, and an unknown one, is a failure by its status",
        arguments: [
            (400, "MissingChannelId", .invalidRequest), (400, "MissingPushType", .invalidRequest),
            (400, "InvalidPushType", .invalidRequest), (400, "BadExpirationDate", .invalidRequest),
            (400, "BadPriority", .invalidRequest), (400, "PayloadEmpty", .invalidRequest),
            (413, "PayloadTooLarge", .invalidRequest), (404, "BadPath", .invalidRequest),
            (405, "MethodNotAllowed", .invalidRequest), (400, "SomethingNew", .invalidRequest),
            (403, "InvalidProviderToken", .refused), (403, "SomethingNew", .refused),
            (410, "SomethingNew", .unknownChannel), (429, "TooManyRequests", .unavailable),
        ] as [(Int, String, ChannelError.Kind)])
    func statuses(status: Int, reason: String, kind: ChannelError.Kind) {
        let answer = APNsAnswer(status: status, reason: reason, retryAfter: .seconds(3))
        #expect(ChannelError(answer) == ChannelError(kind, reason: reason, retryAfter: .seconds(3)))
    }

    @Test("After a failure of the service itself it is unknown if it has done what was asked", arguments: [500, 503])
    func unknown(status: Int) {
        let error = ChannelError(APNsAnswer(status: status, reason: "InternalServerError"))
        #expect(error.kind == .unavailable && error.mayHaveHappened)
    }
}
