import Messaging
import Testing

@testable import FCMRelay

@Suite("Answers of FCM")
struct FCMAnswerTests {
    @Test("A 200 from FCM is an accepted message, whatever its body")
    func accepted() {
        #expect(FCMAnswer(status: 200, body: Array(#"{"name":"projects/p/messages/0:1"}"#.utf8)).outcome == .accepted)
        #expect(FCMAnswer(status: 200).outcome == .accepted)
    }

    @Test("UNREGISTERED from FCM marks the token as unregistered for certain")
    func dead() {
        #expect(
            answer(404, "NOT_FOUND", fcm("UNREGISTERED")).outcome
                == .rejected(
                    Rejection(
                        code: .registrationTokenNotRegistered, reason: "UNREGISTERED",
                        invalidation: .unregistered(since: nil))))
    }

    @Test("A 410 that FCM passes on from APNs marks the token as unregistered for certain")
    func deadAtAPNs() {
        #expect(
            answer(400, "INVALID_ARGUMENT", fcm("INVALID_ARGUMENT"), apns(410, "Unregistered")).outcome
                == .rejected(
                    Rejection(
                        code: .registrationTokenNotRegistered, reason: "INVALID_ARGUMENT (Unregistered)",
                        verdict: PlatformVerdict(by: .apns, status: 410, reason: "Unregistered"),
                        invalidation: .unregistered(since: nil))))
    }

    @Test("A token that FCM or APNs calls invalid is an invalid argument and keeps its registration")
    func invalidToken() {
        func invalid(_ reason: String, verdict: PlatformVerdict? = nil) -> Outcome {
            .rejected(Rejection(code: .invalidArgument, reason: reason, verdict: verdict))
        }
        let words = "The registration token is not a valid FCM registration token"
        #expect(
            answer(400, "INVALID_ARGUMENT", fcm("INVALID_ARGUMENT"), message: words).outcome
                == invalid("INVALID_ARGUMENT"))
        #expect(
            answer(400, "INVALID_ARGUMENT", badRequest("message.token")).outcome
                == invalid("INVALID_ARGUMENT (message.token)"))
        for reason in ["BadDeviceToken", "DeviceTokenNotForTopic"] {
            #expect(
                answer(400, "INVALID_ARGUMENT", fcm("INVALID_ARGUMENT"), apns(400, reason)).outcome
                    == invalid(
                        "INVALID_ARGUMENT (\(reason))", verdict: PlatformVerdict(by: .apns, status: 400, reason: reason)
                    ))
        }
    }

    @Test("NOT_FOUND without an FCM error code is a doubtful unregistration")
    func notFound() {
        #expect(
            answer(404, "NOT_FOUND").outcome
                == .rejected(
                    Rejection(code: .registrationTokenNotRegistered, reason: "NOT_FOUND", invalidation: .unrecognized)))
    }

    @Test("Any other invalid argument from FCM is rejected for good and keeps the registration")
    func invalidArgument() {
        func invalid(_ reason: String, verdict: PlatformVerdict? = nil) -> Outcome {
            .rejected(Rejection(code: .invalidArgument, reason: reason, verdict: verdict))
        }
        #expect(
            answer(400, "INVALID_ARGUMENT", fcm("INVALID_ARGUMENT"), message: "Android message is too big").outcome
                == invalid("INVALID_ARGUMENT"))
        #expect(
            answer(400, "INVALID_ARGUMENT", badRequest("message.android.ttl")).outcome
                == invalid("INVALID_ARGUMENT (message.android.ttl)"))
        #expect(
            answer(400, "INVALID_ARGUMENT", fcm("INVALID_ARGUMENT"), apns(400, "BadPriority")).outcome
                == invalid(
                    "INVALID_ARGUMENT (BadPriority)",
                    verdict: PlatformVerdict(by: .apns, status: 400, reason: "BadPriority")))
        #expect(FCMAnswer(status: 400).outcome == invalid("HTTP400"))
    }

    @Test("A token of another Firebase project is rejected and keeps its registration")
    func mismatch() {
        #expect(
            answer(403, "PERMISSION_DENIED", fcm("SENDER_ID_MISMATCH")).outcome
                == .rejected(Rejection(code: .mismatchedCredential, reason: "SENDER_ID_MISMATCH")))
    }

    @Test("An invalid APNs key in Firebase fails only that message and asks for no new access token")
    func thirdPartyAuthError() {
        let answer = answer(
            401, "UNAUTHENTICATED", fcm("THIRD_PARTY_AUTH_ERROR"), apns(403, "InvalidProviderToken"))
        #expect(!answer.wantsNewAccessToken)
        #expect(
            answer.outcome
                == .failed(
                    Failure(code: .thirdPartyAuthError, reason: "THIRD_PARTY_AUTH_ERROR (InvalidProviderToken)")))
    }

    @Test("A refused access token asks for a new one and holds up the lane")
    func unauthenticated() {
        for (answer, reason) in [
            (answer(401, "UNAUTHENTICATED"), "UNAUTHENTICATED"), (FCMAnswer(status: 401), "HTTP401"),
        ] {
            #expect(answer.wantsNewAccessToken)
            #expect(
                answer.outcome
                    == .failed(Failure(code: .thirdPartyAuthError, reason: reason, laneFailure: .refused)))
        }
    }

    @Test("An account without permission holds up the lane and asks for no new access token")
    func permissionDenied() {
        let answer = answer(403, "PERMISSION_DENIED")
        #expect(!answer.wantsNewAccessToken)
        #expect(
            answer.outcome
                == .failed(
                    Failure(code: .thirdPartyAuthError, reason: "PERMISSION_DENIED", laneFailure: .refused)))
    }

    @Test("A 429 from FCM is retried after Retry-After, or after a minute without one")
    func quota() {
        func busy(_ reason: String, _ seconds: Int64) -> Outcome {
            .failed(Failure(code: .messageRateExceeded, reason: reason, retryAfter: .seconds(seconds)))
        }
        let body = body(429, "RESOURCE_EXHAUSTED", [fcm("QUOTA_EXCEEDED")])
        #expect(FCMAnswer(status: 429, retryAfter: "7", body: body).outcome == busy("QUOTA_EXCEEDED", 7))
        #expect(FCMAnswer(status: 429, body: body).outcome == busy("QUOTA_EXCEEDED", 60))
        #expect(FCMAnswer(status: 429).outcome == busy("HTTP429", 60))
    }

    @Test(
        "A server error of FCM is retried, after Retry-After if there is one",
        arguments: [
            (500, "INTERNAL", MessagingErrorCode.internalError), (503, "UNAVAILABLE", .serverUnavailable),
        ])
    func transient(status: Int, word: String, code: MessagingErrorCode) {
        #expect(answer(status, word, fcm(word)).outcome == .failed(Failure(code: code, reason: word)))
        #expect(answer(status, word).outcome == .failed(Failure(code: code, reason: word)))
        #expect(
            FCMAnswer(status: status, retryAfter: "120").outcome
                == .failed(Failure(code: code, reason: "HTTP\(status)", retryAfter: .seconds(120))))
        #expect(
            FCMAnswer(status: status, retryAfter: "Fri, 31 Dec 1999 23:59:59 GMT").outcome
                == .failed(Failure(code: code, reason: "HTTP\(status)")))
    }

    @Test(
        "An unknown answer of FCM is judged by its status",
        arguments: [
            (404, Outcome.rejected(Rejection(code: .invalidArgument, reason: "HTTP404"))),
            (413, .rejected(Rejection(code: .invalidArgument, reason: "HTTP413"))),
            (408, .failed(Failure(code: .serverUnavailable, reason: "HTTP408"))),
            (502, .failed(Failure(code: .serverUnavailable, reason: "HTTP502"))),
            (504, .failed(Failure(code: .serverUnavailable, reason: "HTTP504"))),
            (302, .failed(Failure(code: .unknownError, reason: "HTTP302"))),
        ])
    func unknown(status: Int, outcome: Outcome) {
        #expect(FCMAnswer(status: status, body: Array("<!DOCTYPE html>".utf8)).outcome == outcome)
    }

    @Test("A new error code of FCM is judged by its status and appears in the reason")
    func newCode() {
        #expect(
            answer(400, "INVALID_ARGUMENT", fcm("SOMETHING_NEW")).outcome
                == .rejected(Rejection(code: .invalidArgument, reason: "SOMETHING_NEW")))
        #expect(
            answer(503, "UNAVAILABLE", fcm("SOMETHING_NEW")).outcome
                == .failed(Failure(code: .serverUnavailable, reason: "SOMETHING_NEW")))
    }

    @Test("The reason leaves out FCM's message, which may repeat the request, and is cut to 100 characters")
    func reasons() {
        let long = String(repeating: "X", count: 1_000)
        let outcome = answer(400, "INVALID_ARGUMENT", fcm(long), message: "the token secret is wrong").outcome
        #expect(
            outcome == .rejected(Rejection(code: .invalidArgument, reason: String(long.prefix(100)))))
    }
}

private func fcm(_ code: String) -> String {
    #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#
}

private func apns(_ status: Int, _ reason: String) -> String {
    #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":\#(status),"reason":"\#(reason)"}"#
}

private func badRequest(_ field: String) -> String {
    #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\#(field)"}]}"#
}

private func body(_ code: Int, _ status: String, _ details: [String], message: String = "Something") -> [UInt8] {
    let details = details.joined(separator: ",")
    let error = #"{"code":\#(code),"message":"\#(message)","status":"\#(status)","details":[\#(details)]}"#
    return Array(#"{"error":\#(error)}"#.utf8)
}

private func answer(
    _ code: Int, _ status: String, _ details: String..., message: String = "Something"
) -> FCMAnswer {
    FCMAnswer(status: code, body: body(code, status, details, message: message))
}
