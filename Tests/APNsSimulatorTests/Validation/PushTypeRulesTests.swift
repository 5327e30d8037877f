import APNsSimulator
import Testing

@Suite("Push types, priorities and topics")
struct PushTypeRulesTests {
    let sample: SampleRequest

    init() throws { sample = try SampleRequest() }

    private func headers(for pushType: PushType) -> [String: String?] {
        [
            "apns-push-type": pushType.rawValue, "apns-topic": "com.example.app" + (pushType.topicSuffix ?? ""),
            "apns-priority": "5",
        ]
    }

    @Test("Every push type is accepted with its topic and priority 5", arguments: PushType.allCases)
    func accepted(pushType: PushType) throws {
        #expect(try sample.verdict(headers(for: pushType)).isAccepted)
    }

    @Test(
        "A push type with a topic suffix is refused for a bare bundle id",
        arguments: [
            (PushType.voip, ".voip"), (.complication, ".complication"), (.fileprovider, ".pushkit.fileprovider"),
            (.location, ".location-query"), (.pushtotalk, ".voip-ptt"),
            (.liveactivity, ".push-type.liveactivity"), (.widgets, ".push-type.widgets"),
            (.controls, ".push-type.controls"),
        ])
    func suffix(pushType: PushType, suffix: String) throws {
        var headers = headers(for: pushType)
        #expect(headers["apns-topic"] == "com.example.app" + suffix)
        headers["apns-topic"] = "com.example.app"
        #expect(try sample.verdict(headers).rejection == .badTopic)
        headers["apns-topic"] = suffix
        #expect(try sample.verdict(headers).rejection == .badTopic)
    }

    @Test("A background push with any priority but 5 is refused, the default included", arguments: ["10", "1", nil])
    func background(priority: String?) throws {
        let verdict = try sample.verdict(["apns-push-type": "background", "apns-priority": priority])
        #expect(verdict.rejection == .badPriority)
    }

    @Test("A topic outside the list is refused, and a listed one is accepted, with a suffix too")
    func disallowedTopic() throws {
        var rules = sample.rules
        rules.topics = ["com.example.app"]
        #expect(try sample.verdict(["apns-topic": "com.example.other"], rules: rules).rejection == .topicDisallowed)
        #expect(try sample.verdict([:], rules: rules).isAccepted)
        #expect(try sample.verdict(headers(for: .liveactivity), rules: rules).isAccepted)
    }

    @Test("A device token of another app is refused for this topic, and other tokens are accepted")
    func deviceTokenNotForTopic() throws {
        var rules = sample.rules
        rules.topicsByDeviceToken = [SampleRequest.deviceToken: "com.example.other"]
        #expect(try sample.verdict([:], rules: rules).rejection == .deviceTokenNotForTopic)
        #expect(try sample.verdict(["apns-topic": "com.example.other"], rules: rules).isAccepted)
        var request = try sample.request()
        request.path = "/3/device/abcd"
        #expect(sample.verdict(on: request, rules: rules).isAccepted)
    }
}
