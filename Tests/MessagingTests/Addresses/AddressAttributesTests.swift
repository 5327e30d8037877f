import DocumentStore
import JSON
import TestDoubles
import Testing

@testable import Messaging

@Suite("Attributes of an address")
struct AddressAttributesTests {
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

    private let address = PushAddress(
        transport: TransportName(rawValue: "other"), token: RegistrationToken("https://push.example/1"),
        attributes: AddressAttributes(
            app: AppIdentity(bundleID: "com.example.app", environment: "night"),
            secrets: ["auth": secret, "p256dh": "BCVxsr7N"]))

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

    @Test("Addresses that differ in an attribute are different, and share their lane unless it is the app")
    func identity() {
        func address(_ attributes: AddressAttributes) -> PushAddress {
            PushAddress(transport: self.address.transport, token: self.address.token, attributes: attributes)
        }
        let withoutKeys = address(AddressAttributes(app: self.address.app))
        #expect(withoutKeys != self.address && withoutKeys.lane == self.address.lane)
        let ofOtherApp = address(AddressAttributes(secrets: self.address.attributes.secrets))
        #expect(ofOtherApp != self.address && ofOtherApp.lane != self.address.lane)
    }

    @Test("The wish for receipts is stored, and is no part of the address")
    func receipts() throws {
        let asking = address.asking(forReceipts: true)
        #expect(asking.asksForReceipts && asking == address && asking.hashValue == address.hashValue)
        let fields = RegistrationFields(token: "token")
        #expect(fields.fields(of: address)["receipts"] == nil)
        let document = Document(
            path: try DocumentPath("devices/one"), fields: fields.fields(of: asking), createTime: .distantPast,
            updateTime: .distantPast)
        #expect(fields.address(in: document)?.asksForReceipts == true)

        let entry = Chunk.Entry(target: Target(address: asking, registration: nil))
        let stored = Chunk.Entry(value: entry.value(below: nil), lane: asking.lane, below: nil)
        #expect(stored?.target?.address.asksForReceipts == true)
        let other = Chunk.Entry(target: Target(address: address, registration: nil)).value(below: nil)
        #expect(other.map?["receipts"] == nil)
    }

    @Test("A service's rule splits the text that a client sends, and other texts are tokens")
    func parts() {
        let forms = TokenForms(
            otherwise: .fcm,
            parts: { text, name in
                name == .fcm
                    ? TokenForms.Parts(token: text)
                    : TokenForms.Parts(
                        token: RegistrationToken("left"), attributes: AddressAttributes(secrets: ["key": "right"]))
            }, recognized: { $0.value.hasPrefix("other:") ? TransportName(rawValue: "other") : nil })
        let address = forms.address(of: "other:left;right")
        #expect(address.transport.rawValue == "other" && address.token.value == "left")
        #expect(address.attributes.secrets == ["key": "right"])
        #expect(forms.address(of: "left;right").token.value == "left;right")
        #expect(forms.address(of: "left;right").attributes == .empty)
    }

    @Test("The part of an app that a service finds in a token wins over the client's, and the client's completes it")
    func foundApp() {
        let forms = TokenForms(
            otherwise: .fcm,
            parts: { text, _ in
                TokenForms.Parts(token: text, attributes: AddressAttributes(app: AppIdentity(bundleID: "found")))
            }, recognized: { _ in nil })
        let app = forms.address(of: "t", app: AppIdentity(bundleID: "named", environment: "night")).app
        #expect(app == AppIdentity(bundleID: "found", environment: "night"))
        #expect(TokenForms.standard.address(of: "t", app: AppIdentity(bundleID: "named")).app.bundleID == "named")
    }

    @Test("A service with subscriptions makes a token of one, or says why it is none")
    func subscriptions() throws {
        let forms = TokenForms(
            otherwise: .fcm,
            subscriptions: { json throws(SubscriptionError) in
                guard let endpoint = json["endpoint"]?.string else {
                    throw SubscriptionError("endpoint", "must be a text")
                }
                return RegistrationToken("other:" + endpoint)
            }, recognized: { _ in nil })
        #expect(try forms.token(ofSubscription: ["endpoint": "1"])?.value == "other:1")
        let error = #expect(throws: SubscriptionError.self) { try forms.token(ofSubscription: []) }
        #expect(error?.description == "endpoint must be a text")
        #expect(try TokenForms.standard.token(ofSubscription: ["endpoint": "1"]) == nil)
    }

    @Test("A service's environments are taken in any case, and a service without takes those of all services")
    func environments() {
        let other = TransportName(rawValue: "other")
        let forms = TokenForms(
            otherwise: .fcm,
            environments: [(.fcm, []), (.apns, ["sandbox", "production"]), (other, ["night", "production"])],
            recognized: { $0.value.hasPrefix("other:") ? other : $0.isDeviceToken ? .apns : nil })
        let apple = String(repeating: "ab", count: 32)
        #expect(forms.environments == ["sandbox", "production", "night"])
        #expect(forms.environment("Sandbox", of: apple) == "sandbox" && forms.environment("night", of: apple) == nil)
        #expect(forms.environment("NIGHT", of: "other:1") == "night")
        #expect(forms.environment("sandbox", of: "other:1") == nil)
        #expect(forms.environment("night", of: "t") == "night" && forms.environment("day", of: "t") == nil)
        #expect(forms.environment("Night") == "night" && forms.environment("day") == nil)
        #expect(forms.address(of: apple, app: AppIdentity(environment: "Production")).app.environment == "production")
        #expect(forms.address(of: apple).app.environment == nil)
        #expect(TokenForms.standard.environment("sandbox", of: apple) == nil)
    }
}
