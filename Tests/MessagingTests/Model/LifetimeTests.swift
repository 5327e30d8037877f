import DocumentStore
import JSON
import Testing

@testable import Messaging

@Suite("Lifetime of a message")
struct LifetimeTests {
    private let now = Timestamp(microseconds: 1_800_000_000_500_000)

    /// The platforms that count for a message over FCM.
    private let relayed: Set<Message.Platform> = [.android, .web]

    private func message(expiration: String? = nil, android: String? = nil, web: String? = nil) -> Message {
        Message(
            apns: expiration.map { .init(headers: ["Apns-Expiration": $0]) },
            android: android.map { ["ttl": .string($0)] },
            webpush: web.map { ["headers": ["ttl": .string($0), "Urgency": "high"]] })
    }

    @Test("The lifetime for APNs devices and topics is apns-expiration, whatever other platforms say")
    func apple() {
        let own = message(expiration: "1800000100", android: "60s", web: "60")
        #expect(own.lifetime(at: now) == .milliseconds(99_500))
        #expect(message(android: "60s", web: "60").lifetime(at: now) == nil)
    }

    @Test("The lifetime over FCM is the shortest of all platforms")
    func fcm() {
        func lifetime(_ message: Message) -> Duration? { message.lifetime(at: now, platforms: relayed) }
        #expect(lifetime(message(expiration: "1800000100", android: "60s", web: "70")) == .seconds(60))
        #expect(lifetime(message(expiration: "1800000100", android: "200.5s", web: "70")) == .seconds(70))
        #expect(lifetime(message(expiration: "1800000100", android: "200.5s")) == .milliseconds(99_500))
        #expect(lifetime(message(android: "200.5s")) == .milliseconds(200_500))
        #expect(lifetime(Message(androidV2: ["ttl": "90s"])) == .seconds(90))
        #expect(lifetime(message()) == nil)
        #expect(lifetime(message(web: "99999999999999999999")) == nil)
    }

    @Test("A platform that does not count leaves the lifetime as it is")
    func onePlatform() {
        let both = message(android: "60s", web: "70")
        #expect(both.lifetime(at: now, platforms: [.web]) == .seconds(70))
        #expect(both.lifetime(at: now, platforms: [.android]) == .seconds(60))
        #expect(message(android: "60s").lifetime(at: now, platforms: [.web]) == nil)
    }

    @Test("A message for now or never is tried for half a minute")
    func nowOrNever() {
        for expiration in ["0", "00"] {
            #expect(message(expiration: expiration).lifetime(at: now) == .seconds(30))
        }
        #expect(message(android: "0s").lifetime(at: now, platforms: relayed) == .seconds(30))
        #expect(message(web: "0").lifetime(at: now, platforms: relayed) == .seconds(30))
        #expect(message(android: "0s", web: "10").lifetime(at: now, platforms: relayed) == .seconds(10))
    }

    @Test("A short lifetime ends at its time, and one that has ended is zero")
    func short() {
        #expect(message(expiration: "1800000003").lifetime(at: now) == .milliseconds(2_500))
        #expect(message(expiration: "1800000001").lifetime(at: now) == .milliseconds(500))
        #expect(message(android: "3s").lifetime(at: now, platforms: relayed) == .seconds(3))
        for expiration in ["1", "1799999999", "1800000000"] {
            #expect(message(expiration: expiration).lifetime(at: now) == .zero)
        }
        let whole = Timestamp(microseconds: 1_800_000_000_000_000)
        #expect(message(expiration: "1800000000").lifetime(at: whole) == .zero)
    }

    @Test("The lifetime is at most 30 days, whatever the message says")
    func longest() {
        let month = Duration.seconds(30 * 86_400)
        for expiration in ["1802592001", "253402300799", "1800000000000", "\(Int64.max)"] {
            for platforms in [Set<Message.Platform>(), relayed] {
                #expect(message(expiration: expiration).lifetime(at: now, platforms: platforms) == month)
            }
        }
        #expect(message(expiration: "1802592000").lifetime(at: now) == month - .milliseconds(500))
        #expect(message(expiration: "1802591999").lifetime(at: now) == month - .milliseconds(1_500))
        #expect(message(web: "99999999").lifetime(at: now, platforms: relayed) == month)
    }

    @Test("A relayed message's time to live is shorter by its age, and a fixed expiration stays")
    func aged() {
        let young = message(expiration: "1800000100", android: "60.25s", web: "70")
        #expect(young.aged(bySeconds: 0) == young)
        #expect(young.aged(bySeconds: -5) == young)
        #expect(
            young.aged(bySeconds: 10) == message(expiration: "1800000100", android: "50.250000000s", web: "60"))
        #expect(young.aged(bySeconds: 3_600) == message(expiration: "1800000100", android: "0s", web: "0"))
        #expect(Message(androidV2: ["ttl": "90s"]).aged(bySeconds: 1) == Message(androidV2: ["ttl": "89s"]))
        let silent = Message(
            data: ["ttl": "5s"], android: ["priority": "HIGH"], webpush: ["headers": ["Urgency": "low"]])
        #expect(silent.aged(bySeconds: 10) == silent)
    }
}
