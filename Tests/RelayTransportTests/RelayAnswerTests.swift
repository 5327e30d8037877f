import Messaging
import Testing

@testable import RelayTransport

@Suite("Answers of relays")
struct RelayAnswerTests {
    private func answer(_ status: Int, _ body: String, retryAfter: String? = nil) -> RelayAnswer {
        RelayAnswer(status: status, body: Array(body.utf8), retryAfter: retryAfter)
    }

    @Test(
        "An answer in the form of relays decides",
        arguments: [
            (202, "accepted", nil), (410, "gone", "AddressGone"), (401, "unauthorized", "SecretRevoked"),
            (404, "unknown", "AddressUnknown"), (429, "later", "RelayLater"), (503, "later", "RelayLater"),
            (500, "later", "RelayLater"),
        ] as [(Int, String, String?)])
    func words(status: Int, word: String, reason: String?) {
        let answer = answer(status, #"{"result":"\#(word)"}"#)
        let outcome = answer.outcome(isPatient: true)
        #expect(answer.isOfRelay && outcome.reason == reason)
        #expect(outcome.removesRegistration == [410, 401].contains(status))
    }

    @Test("An address that is not known is sent to later, and is gone after that")
    func unknown() {
        let answer = answer(404, #"{"result":"unknown"}"#)
        #expect(answer.outcome(isPatient: true).failure?.retryAfter == .seconds(900))
        #expect(answer.outcome(isPatient: false).removesRegistration)
    }

    @Test("Later is when the relay says, at most in an hour, or in a minute")
    func later() {
        let body = #"{"result":"later"}"#
        #expect(answer(429, body).outcome(isPatient: true).failure?.retryAfter == .seconds(60))
        #expect(answer(503, body, retryAfter: "7").outcome(isPatient: true).failure?.retryAfter == .seconds(7))
        #expect(answer(503, body, retryAfter: "86400").outcome(isPatient: true).failure?.retryAfter == .seconds(3_600))
        #expect(answer(429, body).outcome(isPatient: true).failure?.code == .messageRateExceeded)
        #expect(answer(503, body).outcome(isPatient: true).failure?.code == .serverUnavailable)
    }

    @Test(
        "A request that the relay refuses is rejected, and the registration stays",
        arguments: [
            (400, #"{"error":"invalid","message":"m"}"#, "RelayInvalid"), (413, "", "PayloadTooLarge"),
            (413, #"{"error":"invalid","message":"m"}"#, "PayloadTooLarge"),
            (415, #"{"error":"invalid","message":"m"}"#, "RelayInvalid"),
        ])
    func invalid(status: Int, body: String, reason: String) {
        let outcome = answer(status, body).outcome(isPatient: true)
        #expect(outcome.reason == reason && outcome.failure == nil && !outcome.removesRegistration)
    }

    @Test(
        "An answer that is no relay's keeps the message and the registration, whatever its status",
        arguments: [
            (200, "<html>", "NoRelay"), (204, "", "NoRelay"), (301, "", "Redirected"), (401, "", "HTTP401"),
            (404, "<html>", "HTTP404"), (410, #"{"result":"accepted"}"#, "HTTP410"), (410, "gone", "HTTP410"),
            (202, #"{"result":"gone"}"#, "NoRelay"), (429, "", "HTTP429"), (502, "", "HTTP502"),
            (500, #"{"result":"new"}"#, "HTTP500"), (202, #"{"result":5}"#, "NoRelay"),
            (401, #"{"error":"unauthorized"}"#, "HTTP401"), (404, #"{"error":"unknown"}"#, "HTTP404"),
            (410, #"{"error":"gone"}"#, "HTTP410"), (401, #"{"result":5,"error":"unauthorized"}"#, "HTTP401"),
            (401, #"["unauthorized"]"#, "HTTP401"), (401, #""unauthorized""#, "HTTP401"),
        ])
    func otherForms(status: Int, body: String, reason: String) {
        let answer = answer(status, body)
        for isPatient in [true, false] {
            let outcome = answer.outcome(isPatient: isPatient)
            #expect(outcome.failure != nil && outcome.reason == reason && !answer.isOfRelay)
        }
    }

    @Test("Each reason has words that name the next step, and none names another service")
    func texts() {
        let reasons = [
            "AddressGone", "SecretRevoked", "AddressUnknown", "RelayLater", "RelayInvalid", "PayloadTooLarge",
            "NoRelay",
            "Redirected", "HTTP429", "RelayBusy", "RelayResting", "RelayNotAllowed", "InvalidRelayAddress",
            "LiveActivityNotRelayed", "CardWaits", "AddressNotAllowed", "couldNotConnect", "tls",
        ]
        for reason in reasons {
            let text = AuthorRelayService.outcomes.reasons[reason] ?? ""
            #expect(!text.isEmpty && !text.contains("Apple") && !text.contains("webpush"), "\(reason)")
        }
        #expect(Set(AuthorRelayService.outcomes.reasons.keys) == Set(reasons))
    }
}

@Suite("Addresses that relays do not know")
struct UnknownAddressesTests {
    private let token = RegistrationToken("relay:push.example.com/a")

    @Test("An address is gone a day after it was not known first, and for all messages that wait")
    func patience() {
        var unknown = UnknownAddresses()
        let findings = [Int64(0), 86_399, 86_400, 86_401].map { unknown.notKnown(token, at: .seconds($0)) }
        #expect(findings == [.new, .waiting, .ended, .ended])
        let again = unknown.notKnown(token, at: .seconds(91_000))
        #expect(again == .new, "registered again, it has another day")
        let other = unknown.notKnown(RegistrationToken("relay:push.example.com/b"), at: .seconds(91_000))
        #expect(other == .new)
    }

    @Test("An address that the relay knows again has another day, and so has one that was not asked for in a week")
    func known() {
        var unknown = UnknownAddresses()
        let first = unknown.notKnown(token, at: .zero)
        let (wasNoted, isNoted) = (unknown.known(token), unknown.known(token))
        let second = unknown.notKnown(token, at: .seconds(90_000))
        #expect(first == .new && wasNoted && !isNoted && second == .new)
        let third = unknown.notKnown(token, at: .seconds(90_000) + UnknownAddresses.validity)
        #expect(third == .new)
    }

    @Test("The notes of an earlier process count from their first time")
    func restored() {
        var unknown = UnknownAddresses()
        unknown.restore([token.digest: .seconds(86_000)], at: .seconds(100))
        let findings = [Int64(100), 499, 500].map { unknown.notKnown(token, at: .seconds($0)) }
        #expect(findings == [.waiting, .waiting, .ended])
    }

    @Test("Beyond ten thousand addresses the last one is forgotten, and the first one reaches its end")
    func many() {
        var unknown = UnknownAddresses()
        for number in 0...UnknownAddresses.maximumCount {
            _ = unknown.notKnown(RegistrationToken("relay:push.example.com/\(number)"), at: .seconds(number))
        }
        let first = unknown.notKnown(RegistrationToken("relay:push.example.com/0"), at: .seconds(86_400))
        #expect(first == .ended)
    }
}
