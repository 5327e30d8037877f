import Messaging
import Testing
import WebPush

@Suite("Answers of push services")
struct WebPushAnswerTests {
    /// A row of the table: an answer, and the outcome that it stands for.
    struct Row: Sendable, CustomTestStringConvertible {
        let profile: ServiceProfile
        let status: Int
        var body = ""
        var fields: [String: String] = [:]
        var isOfMainHost = true
        let outcome: Outcome

        var testDescription: String { "\(profile) \(status) \(body)" }
    }

    private static func rejected(
        _ code: MessagingErrorCode, _ status: Int, _ reason: String, verdict: String? = nil,
        _ invalidation: TokenInvalidation? = nil
    ) -> Outcome {
        .rejected(
            Rejection(
                code: code, reason: reason,
                verdict: PlatformVerdict(by: .webPush, status: status, reason: verdict ?? reason),
                invalidation: invalidation))
    }

    private static func failed(
        _ code: MessagingErrorCode, _ reason: String, after wait: Duration? = nil, _ laneFailure: LaneFailure? = nil
    ) -> Outcome {
        .failed(Failure(code: code, reason: reason, retryAfter: wait, laneFailure: laneFailure))
    }

    /// The statuses that all services have in common.
    private static func commonRows(_ profile: ServiceProfile) -> [Row] {
        [
            Row(profile: profile, status: 201, outcome: .accepted),
            Row(profile: profile, status: 200, outcome: .accepted),
            Row(profile: profile, status: 202, outcome: .accepted),
            Row(
                profile: profile, status: 307, fields: ["location": "https://127.0.0.1/"],
                outcome: rejected(.invalidArgument, 307, "Redirected", verdict: "HTTP307")),
            Row(profile: profile, status: 400, outcome: rejected(.invalidArgument, 400, "HTTP400")),
            Row(profile: profile, status: 401, outcome: failed(.thirdPartyAuthError, "HTTP401")),
            Row(profile: profile, status: 403, outcome: failed(.thirdPartyAuthError, "HTTP403")),
            Row(
                profile: profile, status: 404,
                outcome: rejected(.registrationTokenNotRegistered, 404, "HTTP404", .unrecognized)),
            Row(profile: profile, status: 408, outcome: failed(.serverUnavailable, "HTTP408")),
            Row(
                profile: profile, status: 410,
                outcome: rejected(.registrationTokenNotRegistered, 410, "HTTP410", .unregistered(since: nil))),
            Row(
                profile: profile, status: 413,
                outcome: rejected(.invalidArgument, 413, "PayloadTooLarge", verdict: "HTTP413")),
            Row(profile: profile, status: 415, outcome: rejected(.invalidArgument, 415, "HTTP415")),
            Row(profile: profile, status: 425, outcome: failed(.serverUnavailable, "HTTP425")),
            Row(profile: profile, status: 429, outcome: failed(.messageRateExceeded, "HTTP429", after: .seconds(60))),
            Row(
                profile: profile, status: 429, fields: ["retry-after": "7"],
                outcome: failed(.messageRateExceeded, "HTTP429", after: .seconds(7))),
            Row(
                profile: profile, status: 429, fields: ["retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"],
                outcome: failed(.messageRateExceeded, "HTTP429", after: .seconds(37))),
            Row(profile: profile, status: 500, outcome: failed(.internalError, "HTTP500")),
            Row(
                profile: profile, status: 502, fields: ["retry-after": "5"],
                outcome: failed(.serverUnavailable, "HTTP502", after: .seconds(5))),
            Row(profile: profile, status: 503, outcome: failed(.serverUnavailable, "HTTP503", after: .seconds(60))),
            Row(
                profile: profile, status: 503, fields: ["retry-after": "120"],
                outcome: failed(.serverUnavailable, "HTTP503", after: .seconds(120))),
            Row(
                profile: profile, status: 503, fields: ["retry-after": "Sun, 06 Nov 1994 09:49:00 GMT"],
                outcome: failed(.serverUnavailable, "HTTP503", after: .seconds(3_600))),
            Row(profile: profile, status: 507, outcome: failed(.serverUnavailable, "NoSubscriber")),
            Row(profile: profile, status: 100, outcome: failed(.unknownError, "HTTP100")),
        ]
    }

    private static let commonToAll = ServiceProfile.allCases.flatMap(commonRows)

    @Test("A status of RFC 8030 has the same outcome at each service", arguments: commonToAll)
    func common(row: Row) { check(row) }

    private static let ofApple: [Row] = [
        Row(
            profile: .apple, status: 400, body: #"{"reason":"BadTtl"}"#,
            outcome: rejected(.invalidArgument, 400, "BadTtl")),
        Row(
            profile: .apple, status: 400, body: #"{"reason":"BadDeviceToken"}"#,
            outcome: rejected(.registrationTokenNotRegistered, 400, "BadDeviceToken", .unrecognized)),
        Row(
            profile: .apple, status: 400, body: #"{"reason":"VapidPkHashMismatch"}"#,
            outcome: rejected(.mismatchedCredential, 400, "VapidPkHashMismatch")),
        Row(
            profile: .apple, status: 403, body: #"{"reason":"VapidPkHashMismatch"}"#,
            outcome: rejected(.mismatchedCredential, 403, "VapidPkHashMismatch")),
        Row(
            profile: .apple, status: 403, body: #"{"reason":"BadJwtToken"}"#,
            outcome: failed(.thirdPartyAuthError, "BadJwtToken", .refused)),
        Row(
            profile: .apple, status: 403, body: #"{"reason":"ExpiredJwtToken"}"#,
            outcome: failed(.thirdPartyAuthError, "ExpiredJwtToken", .refused)),
        Row(
            profile: .apple, status: 403, body: #"{"reason":"SomethingNew"}"#,
            outcome: failed(.thirdPartyAuthError, "SomethingNew")),
        Row(
            profile: .apple, status: 429, body: #"{"reason":"TooManyProviderTokenUpdates"}"#,
            outcome: failed(.thirdPartyAuthError, "TooManyProviderTokenUpdates", .refused)),
        Row(
            profile: .apple, status: 410, body: #"{"reason":"Unregistered"}"#,
            outcome: rejected(.registrationTokenNotRegistered, 410, "Unregistered", .unregistered(since: nil))),
        Row(
            profile: .apple, status: 413, body: #"{"reason":"PayloadTooLarge"}"#,
            outcome: rejected(.invalidArgument, 413, "PayloadTooLarge")),
        Row(
            profile: .apple, status: 503, body: #"{"reason":"Shutdown"}"#,
            outcome: failed(.serverUnavailable, "Shutdown", after: .seconds(60))),
        Row(
            profile: .apple, status: 403, body: #"{"reason":"<script>"}"#,
            outcome: failed(.thirdPartyAuthError, "HTTP403")),
        Row(profile: .apple, status: 403, body: "BadJwtToken", outcome: failed(.thirdPartyAuthError, "HTTP403")),
    ]

    @Test("Apple's reasons have their outcomes, and only those about the sender hold up its lane", arguments: ofApple)
    func apple(row: Row) { check(row) }

    private static let ofMozilla: [Row] = [
        Row(
            profile: .mozilla, status: 404, body: #"{"code":404,"errno":102,"error":"Not Found"}"#,
            outcome: rejected(.registrationTokenNotRegistered, 404, "Errno102", .unrecognized)),
        Row(
            profile: .mozilla, status: 410, body: #"{"code":410,"errno":103}"#,
            outcome: rejected(.registrationTokenNotRegistered, 410, "Errno103", .unregistered(since: nil))),
        Row(
            profile: .mozilla, status: 410, body: #"{"code":410,"errno":105}"#,
            outcome: rejected(.registrationTokenNotRegistered, 410, "Errno105", .unregistered(since: nil))),
        Row(
            profile: .mozilla, status: 410, body: #"{"code":410,"errno":106}"#,
            outcome: rejected(.registrationTokenNotRegistered, 410, "Errno106", .unregistered(since: nil))),
        Row(
            profile: .mozilla, status: 413, body: #"{"code":413,"errno":104}"#,
            outcome: rejected(.invalidArgument, 413, "PayloadTooLarge", verdict: "Errno104")),
        Row(
            profile: .mozilla, status: 401, body: #"{"code":401,"errno":109}"#,
            outcome: failed(.thirdPartyAuthError, "Errno109")),
        Row(
            profile: .mozilla, status: 503, body: #"{"code":503,"errno":201}"#,
            outcome: failed(.serverUnavailable, "Errno201", after: .seconds(60))),
        Row(
            profile: .mozilla, status: 503, body: #"{"code":503,"errno":202}"#,
            outcome: failed(.serverUnavailable, "Errno202")),
        Row(
            profile: .mozilla, status: 502, body: #"{"code":502,"errno":900}"#,
            outcome: failed(.serverUnavailable, "Errno900")),
        Row(
            profile: .mozilla, status: 502, body: #"{"code":502,"errno":903}"#,
            outcome: failed(.serverUnavailable, "Errno903")),
    ]

    private static let ofAppleElsewhere: [Row] = [
        // Apple's other push service, which a stranger can name, has these words.
        Row(
            profile: .apple, status: 403, body: #"{"reason":"MissingProviderToken"}"#,
            outcome: failed(.thirdPartyAuthError, "MissingProviderToken")),
        Row(
            profile: .apple, status: 403, body: #"{"reason":"InvalidProviderToken"}"#,
            outcome: failed(.thirdPartyAuthError, "InvalidProviderToken")),
        Row(
            profile: .apple, status: 403, body: #"{"reason":"BadJwtToken"}"#, isOfMainHost: false,
            outcome: failed(.thirdPartyAuthError, "BadJwtToken")),
        Row(
            profile: .apple, status: 429, body: #"{"reason":"TooManyProviderTokenUpdates"}"#, isOfMainHost: false,
            outcome: failed(.messageRateExceeded, "TooManyProviderTokenUpdates", after: .seconds(60))),
    ]

    @Test("An answer that a stranger can bring about holds up nothing", arguments: ofAppleElsewhere)
    func appleElsewhere(row: Row) { check(row) }

    @Test("Autopush's numbers have their outcomes", arguments: ofMozilla)
    func mozilla(row: Row) { check(row) }

    private static let ofMicrosoft: [Row] = [
        Row(
            profile: .microsoft, status: 406, fields: ["retry-after": "30"],
            outcome: failed(.messageRateExceeded, "HTTP406", after: .seconds(30))),
        Row(
            profile: .microsoft, status: 406,
            outcome: failed(.messageRateExceeded, "HTTP406", after: .seconds(60))),
        Row(
            profile: .microsoft, status: 201, fields: ["x-wns-notificationstatus": "received"], outcome: .accepted),
        Row(
            profile: .microsoft, status: 201, fields: ["x-wns-notificationstatus": "Dropped"],
            outcome: rejected(.unknownError, 201, "Dropped", verdict: "HTTP201")),
        Row(
            profile: .microsoft, status: 201, fields: ["x-wns-notificationstatus": "channelthrottled"],
            outcome: failed(.messageRateExceeded, "HTTP201", after: .seconds(60))),
        Row(profile: .plain, status: 406, outcome: rejected(.invalidArgument, 406, "HTTP406")),
        Row(
            profile: .plain, status: 201, fields: ["x-wns-notificationstatus": "dropped"], outcome: .accepted),
    ]

    @Test("Microsoft's 406 and its fields have their outcomes", arguments: ofMicrosoft)
    func microsoft(row: Row) { check(row) }

    @Test(
        "Nothing of a stranger's answer is kept, and none of it holds up a lane", arguments: [400, 401, 403, 429, 503])
    func strangers(status: Int) {
        for profile in [ServiceProfile.plain, .ntfy, .google, .microsoft] {
            let answer = WebPushAnswer(
                from: profile, status: status, body: Array(#"{"reason":"BadJwtToken","errno":103}"#.utf8))
            #expect(answer.reason == "HTTP\(status)")
            if case .failed(let failure) = answer.outcome() { #expect(failure.laneFailure == nil) }
        }
    }

    @Test("A 403 ends an hour after the message was accepted, and a 401 does not", arguments: ServiceProfile.allCases)
    func lastRefusal(profile: ServiceProfile) {
        let forbidden = WebPushAnswer(from: profile, isOfMainHost: true, status: 403)
        #expect(forbidden.outcome(age: 3_599) == Self.failed(.thirdPartyAuthError, "HTTP403"))
        #expect(forbidden.outcome(age: 3_600) == Self.rejected(.mismatchedCredential, 403, "HTTP403"))
        let unauthorized = WebPushAnswer(from: profile, isOfMainHost: true, status: 401)
        #expect(unauthorized.outcome(age: 86_400) == Self.failed(.thirdPartyAuthError, "HTTP401"))
    }

    @Test("Apple's word about the sender's token never ends a message, for no subscription is at fault")
    func tokenRefusal() {
        let body = Array(#"{"reason":"BadJwtToken"}"#.utf8)
        let answer = WebPushAnswer(from: .apple, isOfMainHost: true, status: 403, body: body)
        #expect(answer.outcome(age: 86_400) == Self.failed(.thirdPartyAuthError, "BadJwtToken", after: nil, .refused))
    }

    @Test("413 asks for a shorter body; 401 and 403 are about the sender")
    func kinds() {
        for status in [201, 400, 401, 403, 404, 410, 413, 429, 503] {
            let answer = WebPushAnswer(from: .plain, status: status)
            #expect(answer.isTooLarge == (status == 413))
            #expect(answer.refusesSender == [401, 403].contains(status))
        }
    }

    private func check(_ row: Row) {
        let answer = WebPushAnswer(
            from: row.profile, isOfMainHost: row.isOfMainHost, status: row.status, body: Array(row.body.utf8),
            now: 784_111_740
        ) { row.fields[$0] }
        #expect(answer.outcome() == row.outcome)
    }
}
