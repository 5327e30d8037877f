import DocumentStore
import TestDoubles
import Testing

@testable import Messaging

@Suite("Attributes of an address")
struct AddressAttributesTests {
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

    private let address = PushAddress(
        transport: TransportName(rawValue: "other"), token: RegistrationToken("https://push.example/1"),
        attributes: AddressAttributes(["auth": secret, "p256dh": "BCVxsr7N"]))

    @Test("An address with attributes is read back from a registration, and an address without has no field for them")
    func registration() async throws {
        let names = RegistrationFields(token: "deviceToken")
        let fields = names.fields(of: address)
        #expect(fields["addressAttributes"]?.map?["auth"] == .string(Self.secret))
        let disk = try TemporaryStore(clock: ManualClock())
        let path = try DocumentPath("devices/phone")
        _ = try await disk.documents.commit([.set(path, fields)])
        let document = try #require(try await disk.documents.document(at: path))
        #expect(names.address(in: document) == address)
        #expect(names.fields(of: PushAddress(token: "emulated:a"))["addressAttributes"] == nil)
    }

    @Test("A pending target keeps its attributes in its chunk, and a settled one does not")
    func chunk() throws {
        var entry = Chunk.Entry(target: Target(address: address, registration: nil))
        let stored = entry.value(below: nil)
        let read = try #require(Chunk.Entry(value: stored, lane: address.lane, below: nil))
        #expect(read.target?.address == address)
        entry.record(.accepted, at: ManualClock.start)
        #expect(entry.value(below: nil).map?["addressAttributes"] == nil)
        let plain = Chunk.Entry(target: Target(address: PushAddress(token: "emulated:a"), registration: nil))
        #expect(plain.value(below: nil).map?["addressAttributes"] == nil)
    }

    @Test("Descriptions of attributes and of their address have the names, and no value")
    func redaction() {
        #expect("\(address.attributes)" == "attributes(auth, p256dh)")
        var dumped = ""
        dump(address, to: &dumped)
        for text in ["\(address)", String(reflecting: address), "\(address.attributes)", dumped] {
            #expect(!text.contains(Self.secret) && !text.contains("BCVxsr7N"), "\(text)")
        }
    }

    @Test("Addresses that differ in an attribute are different, and share their lane")
    func identity() {
        let other = PushAddress(transport: address.transport, token: address.token)
        #expect(other != address && other.lane == address.lane)
    }

    @Test("A service's rule splits the text that a client sends, and other texts are tokens")
    func parts() {
        let forms = TokenForms(
            otherwise: .fcm,
            parts: { text, name in
                name == .fcm
                    ? TokenForms.Parts(token: text)
                    : TokenForms.Parts(
                        token: RegistrationToken("left"), attributes: AddressAttributes(["key": "right"]))
            }, recognized: { $0.value.hasPrefix("other:") ? TransportName(rawValue: "other") : nil })
        let address = forms.address(of: "other:left;right")
        #expect(address.transport.rawValue == "other" && address.token.value == "left")
        #expect(address.attributes.values == ["key": "right"])
        #expect(forms.address(of: "left;right").token.value == "left;right")
        #expect(forms.address(of: "left;right").attributes == .empty)
    }
}
