import Foundation
import Testing

@testable import PushgateClient

@Suite("Registrations for cards on the lock screen")
struct LiveActivityRegistrationTests {
    private let part = LiveActivityRegistration(startToken: Data([0x80, 0xF3]))

    @Test("Each chat is registered with the tokens, again when one is new, and at last without them")
    func tokens() async throws {
        let stage = try Stage()
        #expect(try await stage.phone.liveActivityDidChange(to: part) == ReplayReport())
        try await stage.phone.tokenDidChange(to: "token-1")
        try await stage.phone.subscribe(to: .one("/srv/app"))
        let card = LiveActivityRegistration(
            startToken: Data([0x80, 0xF3]), hasFrequentUpdates: false, updateTokens: ["c-1": Data([0x0A])])
        for next in [part, card, nil] {
            let report = try await stage.phone.liveActivityDidChange(to: next)
            // The first one is known already.
            let registered: Set<Chat> = next == part ? [] : [.one("/srv/app")]
            #expect(report.registered == registered)
        }
        let parts = await stage.gateway.calls.map(\.liveActivity)
        #expect(
            parts == [
                #"{"frequent_updates":true,"push_to_start_token":"80f3"}"#,
                #"{"frequent_updates":false,"push_to_start_token":"80f3","update_tokens":{"c-1":"0a"}}"#, nil,
            ])
    }

    @Test("With a relay, the relay gets the token that starts cards, and gateways learn only that there are cards")
    func relayed() async throws {
        let stage = try RelayStage()
        try await stage.phone.liveActivityDidChange(to: part)
        try await stage.phone.tokenDidChange(to: RelayStage.token)
        try await stage.phone.subscribe(to: .one("/srv/app"))
        #expect(await stage.gateway.calls.map(\.liveActivity) == ["{}"])
        let body = try #require(await stage.relay.known.values.first?.registration)
        #expect(body.contains(#""live_activity":{"#) && body.contains(#""push_to_start_token":"80f3""#))
        #expect(!body.contains("update_tokens"))
        let card = LiveActivityRegistration(startToken: Data([0x80, 0xF3]), updateTokens: ["c-1": Data([0x0A])])
        try await stage.phone.liveActivityDidChange(to: card)
        let next = try #require(await stage.relay.known.values.first?.registration)
        #expect(next.contains(#""update_tokens":{"c-1":"0a"}"#))
        #expect(await stage.gateway.calls.map(\.liveActivity) == ["{}"])
        try await stage.phone.liveActivityDidChange(to: nil)
        #expect(await stage.gateway.calls.map(\.liveActivity) == ["{}", nil])
        #expect(await stage.relay.known.values.first?.registration.contains("live_activity") == false)
    }

    @Test("The description of a registration, and its mirror, have no token")
    func secrecy() {
        var dumped = ""
        dump(part, to: &dumped)
        #expect(!"\(part)\(dumped)".contains("80f3") && "\(part)" == "<redacted>")
    }
}
