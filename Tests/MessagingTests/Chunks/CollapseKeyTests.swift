import Testing

@testable import Messaging

@Suite("Keys of messages that replace each other")
struct CollapseKeyTests {
    @Test("A key is the digest of the parts, each of which ends with a byte that no text contains")
    func digest() {
        let apns = Lane(transport: .apns, app: AppIdentity(bundleID: "com.example.app"))
        let key = CollapseKey(ofAlerts: "chat-1", sender: "codeagents/7f", in: apns)
        #expect(key.text == "038f2f81f35be5077486c8d1d638ddb0")
        let other = CollapseKey(ofAlerts: "chat-1", sender: "codeagents/7f", in: Lane(transport: .emulated))
        #expect(other.text == "e40bde8bf0a349fcc0b5d9206d39bacf")
        #expect(CollapseKey(text: key.text) == key)
    }

    @Test("Parts that are joined in another way, or missing, have another key")
    func parts() {
        let lane = Lane(transport: .apns, app: AppIdentity(bundleID: "ab"))
        let keys = [
            CollapseKey(ofAlerts: "c", sender: "s", in: lane),
            CollapseKey(ofAlerts: "", sender: "s", in: lane),
            CollapseKey(ofAlerts: "c", sender: "sa", in: Lane(transport: .apns, app: AppIdentity(bundleID: "b"))),
            CollapseKey(ofAlerts: "c", sender: "s", in: Lane(transport: .apns, app: AppIdentity(bundleID: ""))),
            CollapseKey(ofAlerts: "c", sender: "s", in: Lane(transport: .apns)),
        ]
        #expect(Set(keys).count == keys.count)
    }
}
