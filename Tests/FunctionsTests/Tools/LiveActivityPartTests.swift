import JSON
import Messaging
import Testing

@testable import Functions

@Suite("The part of a registration for Live Activities")
struct LiveActivityPartTests {
    private static let token = String(repeating: "ab", count: 80)

    private func read(
        _ part: JSONValue, of device: LiveActivityPart.AddressKind = .phone
    ) throws(LiveActivityPart.Refusal) -> LiveActivityPart? {
        try LiveActivityPart.read(LooseFields(["live_activity": part]), of: device)
    }

    private func refusal(of part: JSONValue, _ device: LiveActivityPart.AddressKind = .phone) throws -> String {
        let refusal = try #require(throws: LiveActivityPart.Refusal.self) { try read(part, of: device) }
        return refusal.text
    }

    @Test("A phone has a token that starts cards, and may have tokens of cards")
    func phone() throws {
        let part = try #require(
            try read([
                "push_to_start_token": .string(" \(Self.token) "), "frequent_updates": false,
                "update_tokens": ["c1": "0A", "c2": "emulated:c2"], "more": 1,
            ]))
        let start = RegistrationToken(Self.token)
        #expect(part.registration == CardRegistration(startToken: start, hasFrequentUpdates: false))
        #expect(
            part.tokens == [
                CardToken(card: "c1", token: RegistrationToken("0A")),
                CardToken(card: "c2", token: RegistrationToken("emulated:c2")),
            ])
        let least = try #require(try read(["push_to_start_token": .string(Self.token)]))
        #expect(least.registration == CardRegistration(startToken: start) && least.tokens.isEmpty)
    }

    @Test("A browser has an empty part")
    func browser() throws {
        #expect(try read([:], of: .browser)?.registration == CardRegistration(startToken: nil))
        #expect(
            try refusal(of: ["push_to_start_token": "0a"], .browser)
                == "live_activity.push_to_start_token is of a phone; a browser has none")
    }

    @Test("Without the part, or with null, a device shows no cards")
    func absent() throws {
        #expect(try LiveActivityPart.read(LooseFields([:]), of: .phone) == nil)
        #expect(try read(.null) == nil)
    }

    @Test(
        "A part in another form is refused with the member and its fault",
        arguments: [
            (1, "live_activity must be an object"),
            (
                [:],
                "live_activity.push_to_start_token is required; leave live_activity out for a phone without Live Activities"
            ),
            (["push_to_start_token": 1], "live_activity.push_to_start_token must be a string"),
            (
                ["push_to_start_token": "80 bytes"],
                "live_activity.push_to_start_token must have hexadecimal digits only, as the app prints ActivityKit's token"
            ),
            (
                ["push_to_start_token": .string(String(repeating: "0", count: 1_025))],
                "live_activity.push_to_start_token is longer than 1024 characters"
            ),
            (
                ["push_to_start_token": "0a", "frequent_updates": "yes"],
                "live_activity.frequent_updates must be true or false"
            ),
            (
                ["push_to_start_token": "0a", "update_tokens": ["0b"]],
                "live_activity.update_tokens must be an object of the tokens by the ids of their cards"
            ),
            (
                ["push_to_start_token": "0a", "update_tokens": ["c1": true]],
                "live_activity.update_tokens.c1 must be a string"
            ),
        ] as [(JSONValue, String)])
    func refused(part: JSONValue, text: String) throws {
        #expect(try refusal(of: part) == text)
    }

    @Test("A phone at a relay has an empty part, because the relay has its tokens")
    func relayed() throws {
        #expect(try read([:], of: .relayed)?.registration == CardRegistration(startToken: nil))
        #expect(
            try refusal(of: ["push_to_start_token": "0a"], .relayed)
                == "live_activity.push_to_start_token belongs to the relay, with the phone's device token")
    }

    @Test("More than 50 update tokens are refused")
    func tooMany() throws {
        let tokens = (0...50).map { (name: "c\($0)", value: JSONValue.string("0a")) }
        #expect(
            try refusal(of: ["push_to_start_token": "0a", "update_tokens": .object(JSONObject(tokens))])
                == "live_activity.update_tokens has more than 50 members")
    }
}
