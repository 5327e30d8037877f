import JSON
import Testing

@testable import Messaging

@Suite("Pushes to Live Activities")
struct LiveActivityTests {
    private let now: Int64 = 1_800_000_000
    private let token = RegistrationToken(String(repeating: "ab", count: 80))
    private let alert = LiveActivity.Alert(title: "Run", body: "Started")

    private func start(_ input: LiveActivity.Input = .standard) -> LiveActivity {
        LiveActivity(
            .start(.init(attributesType: "RunAttributes", attributes: ["run": "r1"], input: input)), timestamp: now,
            contentState: ["step": 1], alert: alert)
    }

    private func update() -> LiveActivity { LiveActivity(.update, timestamp: now, contentState: ["step": 2]) }

    private func aps(_ activity: LiveActivity) throws -> JSONValue? {
        try activity.message(to: token, at: now).apns?.payload["aps"]
    }

    /// Returns the members with errors.
    private func refused(_ activity: LiveActivity) throws -> [String] {
        let error = try #require(throws: InvalidLiveActivity.self) { try activity.message(to: token, at: now) }
        return error.violations.map(\.member)
    }

    // MARK: The form

    @Test("The start of a Live Activity has its attributes, its content and an alert, and may follow a channel")
    func starts() throws {
        #expect(
            try aps(start(.channel(ChannelID(rawValue: "dGVzdA==")))) == [
                "timestamp": 1_800_000_000, "event": "start", "content-state": ["step": 1],
                "alert": ["title": "Run", "body": "Started"], "attributes-type": "RunAttributes",
                "attributes": ["run": "r1"], "input-push-channel": "dGVzdA==",
            ])
        let withToken = try aps(start(.token))
        #expect(withToken?["input-push-token"] == 1 && withToken?["input-push-channel"] == nil)
        let standard = try aps(start())
        #expect(standard?["input-push-token"] == nil && standard?["input-push-channel"] == nil)
    }

    @Test("The update of a Live Activity has only the members that are set")
    func updates() throws {
        #expect(
            try aps(update()) == ["timestamp": 1_800_000_000, "event": "update", "content-state": ["step": 2]])
        var full = update()
        (full.staleDate, full.relevanceScore) = (now + 60, 75)
        full.alert = LiveActivity.Alert(title: "Run", body: "Needs you", sound: "default")
        #expect(
            try aps(full) == [
                "timestamp": 1_800_000_000, "event": "update", "content-state": ["step": 2],
                "stale-date": 1_800_000_060, "relevance-score": 75.0,
                "alert": ["title": "Run", "body": "Needs you", "sound": "default"],
            ])
    }

    @Test("The end of a Live Activity may have last content and a time of removal, also one that has passed")
    func ends() throws {
        #expect(
            try aps(LiveActivity(.end(dismissal: nil), timestamp: now, contentState: nil)) == [
                "timestamp": 1_800_000_000, "event": "end",
            ])
        for dismissal in [now - 1, now, now + 4 * 3_600] {
            let end = LiveActivity(.end(dismissal: dismissal), timestamp: now, contentState: ["step": 3])
            #expect(try aps(end)?["dismissal-date"] == .integer(dismissal))
        }
    }

    @Test("A Live Activity has priority 5, and 10 only if somebody is needed")
    func priority() throws {
        for activity in [start(), update(), LiveActivity(.end(dismissal: now), timestamp: now, contentState: nil)] {
            var activity = activity
            #expect(try activity.message(to: token, at: now).apns?.header("apns-priority") == "5")
            activity.isUrgent = true
            #expect(try activity.message(to: token, at: now).apns?.header("apns-priority") == "10")
        }
    }

    @Test("A message to a Live Activity goes to its token, and a start has no collapse id")
    func message() throws {
        let message = try update().message(to: token, at: now, collapseID: "run")
        #expect(message.apns?.liveActivityToken == token)
        #expect(message.notification == nil && message.data.isEmpty)
        #expect(
            message.apns?.headers == [
                "apns-push-type": "liveactivity", "apns-priority": "5", "apns-collapse-id": "run",
            ])
        let started = try start().message(to: token, at: now, collapseID: "run")
        #expect(started.apns?.header("apns-collapse-id") == nil)
    }

    @Test("A broadcast has the same payload, and cannot start a Live Activity")
    func broadcast() throws {
        var urgent = update()
        urgent.isUrgent = true
        let broadcast = try urgent.broadcast(at: now, expiration: 0)
        #expect(try JSONValue(parsing: broadcast.payload)["aps"] == aps(urgent))
        #expect(broadcast.priority == 10 && broadcast.expiration == 0)
        let error = try #require(throws: InvalidLiveActivity.self) { try start().broadcast(at: now, expiration: 0) }
        #expect(error.description == "event: a channel takes update and end, not start")
    }

    // MARK: Errors

    @Test("The start of a Live Activity without a required member is refused, with all of them")
    func incompleteStart() throws {
        let empty = LiveActivity(
            .start(.init(attributesType: "", attributes: [:], input: .channel(ChannelID(rawValue: "a b")))),
            timestamp: now, contentState: nil)
        #expect(try refused(empty) == ["content-state", "alert", "attributes-type", "input-push-channel"])
        var silent = start()
        silent.alert = LiveActivity.Alert(title: "Run", body: "")
        #expect(try refused(silent) == ["alert"])
    }

    @Test("An update of a Live Activity without content is refused")
    func emptyUpdate() throws {
        #expect(try refused(LiveActivity(.update, timestamp: now, contentState: nil)) == ["content-state"])
        #expect(try aps(LiveActivity(.update, timestamp: now, contentState: [:]))?["content-state"] == [:])
    }

    @Test("Times in milliseconds, and before 1970, are refused", arguments: [1_800_000_000_000, 0, -1] as [Int64])
    func times(time: Int64) throws {
        var activity = LiveActivity(.end(dismissal: time), timestamp: time, contentState: [:])
        activity.staleDate = time
        #expect(try refused(activity) == ["timestamp", "stale-date", "dismissal-date"])
    }

    @Test("A timestamp of the future, and a removal after more than four hours, are refused")
    func tooLate() throws {
        #expect(try refused(LiveActivity(.update, timestamp: now + 61, contentState: [:])) == ["timestamp"])
        #expect(try aps(LiveActivity(.update, timestamp: now + 60, contentState: [:])) != nil)
        let end = LiveActivity(.end(dismissal: now + 4 * 3_600 + 1), timestamp: now, contentState: nil)
        #expect(try refused(end) == ["dismissal-date"])
    }

    @Test("A relevance score that is no number or below 0 is refused", arguments: [-1, .nan, .infinity] as [Double])
    func relevance(score: Double) throws {
        var activity = update()
        activity.relevanceScore = score
        #expect(try refused(activity) == ["relevance-score"])
    }

    @Test("Content with a member that is null is refused with its path, because APNs does not deliver it")
    func nulls() throws {
        let activity = LiveActivity(.update, timestamp: now, contentState: ["steps": [["name": nil]]])
        let error = try #require(throws: InvalidLiveActivity.self) { try activity.message(to: token, at: now) }
        #expect(error.description == "content-state: has the member steps.name, which is null: leave it out")
        #expect(try aps(LiveActivity(.update, timestamp: now, contentState: ["steps": [nil]])) != nil)
    }

    @Test("A payload of more than 4,096 bytes to a token, or 5,120 to a channel, is refused")
    func size() throws {
        func activity(_ count: Int) -> LiveActivity {
            LiveActivity(.update, timestamp: now, contentState: ["t": .string(String(repeating: "x", count: count))])
        }
        let overhead = try activity(0).broadcast(at: now, expiration: 0).payload.count
        #expect(try aps(activity(4_096 - overhead)) != nil)
        #expect(try refused(activity(4_097 - overhead)) == ["aps"])
        #expect(try activity(5_120 - overhead).broadcast(at: now, expiration: 0).payload.count == 5_120)
        #expect(throws: InvalidLiveActivity.self) { try activity(5_121 - overhead).broadcast(at: now, expiration: 0) }
    }

    @Test(
        "The id of a channel is base64 and nothing else",
        arguments: ["", "a b", "a\nb", "ä", String(repeating: "a", count: 201)])
    func channelIDs(text: String) {
        #expect(!ChannelID(rawValue: text).isPlausible)
        #expect(ChannelID(rawValue: "dHN0LXNyY2gtY2hubA==").isPlausible)
    }

    @Test("A start leaves room in its 4,096 bytes for the channel that the transport adds")
    func roomForChannel() throws {
        func start(_ count: Int, _ input: LiveActivity.Input) -> LiveActivity {
            let text = String(repeating: "x", count: count)
            return LiveActivity(
                .start(.init(attributesType: "RunAttributes", attributes: ["run": .string(text)], input: input)),
                timestamp: now, contentState: [:], alert: alert)
        }
        func size(_ activity: LiveActivity) throws -> Int {
            JSONValue.object(try activity.message(at: now).apns?.payload ?? [:]).serialized.count
        }
        let overhead = try size(start(0, .standard))
        let longest = 4_096 - 64 - overhead
        #expect(try size(start(longest, .standard)) == 4_096 - 64)
        // Apple's ids have 24 bytes.
        let channel = ChannelID(rawValue: String(repeating: "a", count: 24))
        #expect(try size(start(longest, .channel(channel))) <= 4_096)
        #expect(try refused(start(longest + 1, .standard)) == ["aps"])
    }
}
