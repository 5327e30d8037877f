import APNsSimulator
import JSON
import Testing

@Suite("Deviations from Apple's documentation that Apple accepts")
struct DeviationTests {
    let sample: SampleRequest
    private let now = SampleRequest.now

    init() throws { sample = try SampleRequest() }

    private var strict: ValidationRules {
        var rules = sample.rules
        rules.isStrict = true
        return rules
    }

    private func verdict(issuedAt: JSONValue, rules: ValidationRules? = nil) throws -> Verdict {
        let authorization = try sample.signingKey.authorization(issuedAt: issuedAt)
        return try sample.verdict(["authorization": authorization], rules: rules)
    }

    private static let issuedAtForms: [(JSONValue, Deviation)] = [
        (.double(Double(SampleRequest.now) - 59.75), .fractionalIssuedAt),
        (.double(Double(SampleRequest.now) - 60), .fractionalIssuedAt),
        (.string("\(SampleRequest.now - 60)"), .textualIssuedAt),
        (.string("\(SampleRequest.now - 60).5"), .textualIssuedAt),
    ]

    @Test("An “iat” as a float or a string is accepted and recorded", arguments: issuedAtForms)
    func issuedAt(issuedAt: JSONValue, deviation: Deviation) throws {
        let verdict = try verdict(issuedAt: issuedAt)
        #expect(verdict.isAccepted && verdict.deviations == [deviation])
        #expect(verdict.providerToken?.issuedAt == now - 60)
    }

    @Test("An “iat” as a float or a string is refused by strict rules, with the cause", arguments: issuedAtForms)
    func strictIssuedAt(issuedAt: JSONValue, deviation: Deviation) throws {
        let verdict = try verdict(issuedAt: issuedAt, rules: strict)
        #expect(verdict.rejection == .invalidProviderToken)
        #expect(verdict.cause?.contains("iat") == true)
        #expect(verdict.deviations.isEmpty)
    }

    @Test("An “iat” as a float or a string has the same age limits as an integer")
    func age() throws {
        for text in ["\(now - 3_601)", "\(now - 3_601).9"] {
            #expect(try verdict(issuedAt: .string(text)).rejection == .expiredProviderToken)
        }
        #expect(try verdict(issuedAt: .double(Double(now) + 62.5)).rejection == .invalidProviderToken)
    }

    @Test(
        "An “iat” that is no number of seconds is refused by lenient rules too",
        arguments: [
            .string("soon"), .string(""), .string("inf"), .string("1e9"), .string("-1"), .string("1.8.0"),
            .string("99999999999999999999"), .double(1e300), .bool(true), .null, [1_800_000_000],
        ] as [JSONValue])
    func noNumber(issuedAt: JSONValue) throws {
        #expect(try verdict(issuedAt: issuedAt).rejection == .invalidProviderToken)
    }

    @Test("A request without a push type is accepted as an alert and recorded, and refused by strict rules")
    func missingPushType() throws {
        let lenient = try sample.verdict(["apns-push-type": nil])
        #expect(lenient.isAccepted && lenient.deviations == [.missingPushType])
        let refused = try sample.verdict(["apns-push-type": nil], rules: strict)
        #expect(refused.rejection == .invalidPushType && refused.deviations.isEmpty)
        #expect(refused.cause?.contains("apns-push-type is missing") == true)
    }

    @Test("A request without a push type has the type of its topic's suffix")
    func impliedPushType() throws {
        var rules = sample.rules
        rules.topics = ["com.example.app"]
        for topic in ["com.example.app", "com.example.app.voip", "com.example.app.push-type.liveactivity"] {
            #expect(try sample.verdict(["apns-push-type": nil, "apns-topic": topic], rules: rules).isAccepted)
        }
        let other = try sample.verdict(["apns-push-type": nil, "apns-topic": "com.example.app.other"], rules: rules)
        #expect(other.rejection == .topicDisallowed)
    }

    private static let payloadsWithNulls: [(JSONValue, path: String)] = [
        (["aps": ["alert": nil]], "aps.alert"), (["aps": [:], "own": nil], "own"),
        (["aps": ["alert": ["title": "T", "subtitle": nil]]], "aps.alert.subtitle"),
        (["aps": [:], "own": [1, [["deep": nil]]]], "own.deep"),
    ]

    @Test("A payload with a member that is null is accepted and recorded", arguments: payloadsWithNulls)
    func nullMember(payload: JSONValue, path: String) throws {
        let verdict = try sample.verdict([:], body: payload.serialized)
        #expect(verdict.isAccepted && verdict.deviations == [.nullMember])
    }

    @Test(
        "A payload with a member that is null is refused by strict rules, with its path", arguments: payloadsWithNulls)
    func strictNullMember(payload: JSONValue, path: String) throws {
        let verdict = try sample.verdict([:], body: payload.serialized, rules: strict)
        #expect(verdict.rejection == .payloadEmpty && verdict.deviations.isEmpty)
        #expect(verdict.cause?.contains("“\(path)” is null") == true)
    }

    @Test("Elements of arrays that are null are no deviation")
    func nullElements() throws {
        let payload: JSONValue = ["aps": ["alert": ["loc-args": ["a", nil]]], "own": [nil, [nil], ["k": 1]]]
        for rules in [sample.rules, strict] {
            let verdict = try sample.verdict([:], body: payload.serialized, rules: rules)
            #expect(verdict.isAccepted && verdict.deviations.isEmpty)
        }
    }

    @Test("A request that follows Apple's documentation records no deviation, with strict rules or not")
    func none() throws {
        for rules in [sample.rules, strict] {
            let verdict = try sample.verdict([:], rules: rules)
            #expect(verdict.isAccepted && verdict.deviations.isEmpty && verdict.cause == nil)
        }
    }
}
