import APNsSimulator
import Testing

@Suite("Header fields of a request to the simulator")
struct HeaderRulesTests {
    let sample: SampleRequest

    init() throws { sample = try SampleRequest() }

    @Test("A request with all header fields as documented is accepted and read")
    func accepted() throws {
        let verdict = try sample.verdict([:])
        #expect(verdict.rejection == nil)
        #expect(verdict.apnsID == SampleRequest.id)
        #expect(verdict.deviceToken == SampleRequest.deviceToken)
        #expect(verdict.providerToken?.keyID == "KEY1234567")
        #expect(verdict.providerToken?.teamID == "TEAM123456")
        #expect(verdict.providerToken?.issuedAt == SampleRequest.now - 60)
    }

    @Test(
        "A header field with an unknown value is refused with that field's reason",
        arguments: [
            ("apns-topic", "", APNsRejection.badTopic),
            ("apns-topic", "com.example app", .badTopic),
            ("apns-topic", "com/example", .badTopic),
            ("apns-id", "not a uuid", .badMessageID),
            ("apns-id", "EABEAE54-14A8-41E5-B60B-1697F925EC7B", .badMessageID),
            ("apns-id", "eabeae5414a841e5b60b1697f925ec7b", .badMessageID),
            ("apns-id", "eabeae54-14a8-41e5-b60b-1697f925ec7", .badMessageID),
            ("apns-id", "eabeae54-14a8-41e5-b60b_1697f925ec7b", .badMessageID),
            ("apns-expiration", "tomorrow", .badExpirationDate),
            ("apns-expiration", "-1", .badExpirationDate),
            ("apns-expiration", "1.5", .badExpirationDate),
            ("apns-expiration", "", .badExpirationDate),
            ("apns-expiration", "99999999999999999999", .badExpirationDate),
            ("apns-priority", "0", .badPriority),
            ("apns-priority", "high", .badPriority),
            ("apns-priority", "010", .badPriority),
            ("apns-push-type", "Alert", .invalidPushType),
            ("apns-push-type", "", .invalidPushType),
            ("apns-collapse-id", "", .badCollapseID),
            ("apns-collapse-id", String(repeating: "x", count: 65), .badCollapseID),
            ("apns-collapse-id", String(repeating: "é", count: 33), .badCollapseID),
        ])
    func refused(name: String, value: String, rejection: APNsRejection) throws {
        #expect(try sample.verdict([name: value]).rejection == rejection)
    }

    @Test(
        "A header field at the edge of its range is accepted",
        arguments: [
            ("apns-expiration", "1"), ("apns-expiration", "1900000000"), ("apns-priority", "5"), ("apns-priority", "1"),
            ("apns-collapse-id", String(repeating: "x", count: 64)),
            ("apns-collapse-id", String(repeating: "é", count: 32)), ("apns-topic", "COM.example-2.App"),
        ])
    func edge(name: String, value: String) throws {
        #expect(try sample.verdict([name: value]).isAccepted)
    }

    @Test(
        "An optional header field may be missing",
        arguments: ["apns-id", "apns-expiration", "apns-priority", "apns-collapse-id", "content-type"])
    func optional(name: String) throws {
        #expect(try sample.verdict([name: nil]).isAccepted)
    }

    @Test("A request without a topic is refused")
    func missingTopic() throws {
        #expect(try sample.verdict(["apns-topic": nil]).rejection == .missingTopic)
    }

    @Test(
        "A repeated APNs header field is refused, even with the same value",
        arguments: [
            "apns-id", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id",
            "authorization",
        ])
    func duplicates(name: String) throws {
        var request = try sample.request()
        let value = try #require(request.headers.first { $0.name == name }?.value)
        request.headers.append((name, value))
        #expect(sample.verdict(on: request).rejection == .duplicateHeaders)
    }

    @Test("A repeated other header field is accepted")
    func otherDuplicates() throws {
        var request = try sample.request()
        request.headers += [("accept", "*/*"), ("accept", "text/plain")]
        #expect(sample.verdict(on: request).isAccepted)
    }
}
