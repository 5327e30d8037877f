import ClientCryptography
import Cryptography
import Foundation
import Testing
import WebPush

@testable import PushgateClient

@Suite("Sealed cards in the app's widget")
struct SealedCardsTests {
    private let storage = InMemoryRelayStorage()
    private let keys: RelayKeys
    private let cards: SealedCards

    init() throws {
        keys = try RelayKeys(random: OpenSSLCryptography())
        try storage.save(try JSONEncoder().encode(RelayState(keys: keys, relay: "https://relay.example.com")))
        cards = SealedCards(storage: storage, cryptography: OpenSSLCryptography())
    }

    /// Returns the content of a card as the system decodes it, with a sealed text.
    private func state(_ text: String) throws -> SealedCardState {
        let receiver = try ReceiverKeys(
            p256dh: Base64URL.encode(try OpenSSLCryptography().publicKey(of: keys.sealing)),
            auth: Base64URL.encode(keys.authentication))
        let body = try MessageEncryption.encrypt(
            Array(text.utf8), padding: 100, for: receiver, senderKey: .generate(), salt: RandomBytes.generate(16))
        return try JSONDecoder().decode(
            SealedCardState.self, from: Data(#"{"sealed":"\#(Base64URL.encode(body))","more":1}"#.utf8))
    }

    @Test("An opened card has its title, the facts of its run and its content")
    func opens() throws {
        let card = try #require(
            cards.open(
                try state(
                    #"""
                    {"v":1,"title":"my-repo","data":{"run_id":"r1"},"more":1,
                     "state":{"state":"waiting","text":"Push?","started_at":1800000000,"updated_at":1800000005,
                     "approval":{"id":"a-1","expires_at":1800000600}}}
                    """#)))
        #expect(card.title == "my-repo" && card.data == ["run_id": "r1"])
        #expect(card.state.phase == .waiting && card.state.text == "Push?")
        #expect(card.state.question(at: Date(timeIntervalSince1970: 1_800_000_100))?.id == "a-1")
    }

    @Test("A card of another version or without content, and one that is sealed for other keys, does not open")
    func closed() throws {
        let content = #""state":{"state":"running","started_at":1,"updated_at":1}"#
        #expect(try cards.open(state(#"{"v":1,\#(content)}"#)) != nil)
        for text in [#"{"v":2,\#(content)}"#, #"{\#(content)}"#, #"{"v":1}"#, "[1]", ""] {
            #expect(try cards.open(state(text)) == nil, "\(text)")
        }
        let sealed = try state(#"{"v":1,\#(content)}"#)
        for text in ["", "x", "AAAA", String(sealed.sealed.dropLast(4))] {
            #expect(cards.open(SealedCardState(sealed: text)) == nil)
        }
        let another = InMemoryRelayStorage()
        #expect(SealedCards(storage: another, cryptography: OpenSSLCryptography()).open(sealed) == nil)
        let other = try RelayKeys(random: OpenSSLCryptography())
        try another.save(try JSONEncoder().encode(RelayState(keys: other, relay: "https://relay.example.com")))
        #expect(SealedCards(storage: another, cryptography: OpenSSLCryptography()).open(sealed) == nil)
    }
}
