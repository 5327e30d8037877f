import ClientCryptography
import Cryptography
import Foundation
import Testing
import WebPush

@testable import PushgateClient

@Suite("Sealed notifications in the app's extension")
struct SealedNotificationsTests {
    private let storage = InMemoryRelayStorage()
    private let keys: RelayKeys
    private let notifications: SealedNotifications

    init() throws {
        keys = try RelayKeys(random: OpenSSLCryptography())
        try storage.save(try JSONEncoder().encode(RelayState(keys: keys, relay: "https://relay.example.com")))
        notifications = SealedNotifications(storage: storage, cryptography: OpenSSLCryptography())
    }

    /// Returns the `userInfo` of a notification with a sealed text.
    private func userInfo(_ text: String) throws -> [AnyHashable: Any] {
        let receiver = try ReceiverKeys(
            p256dh: Base64URL.encode(try OpenSSLCryptography().publicKey(of: keys.sealing)),
            auth: Base64URL.encode(keys.authentication))
        let body = try MessageEncryption.encrypt(
            Array(text.utf8), padding: 100, for: receiver, senderKey: .generate(), salt: RandomBytes.generate(16))
        return [
            "aps": ["alert": ["title": "New message"], "mutable-content": 1],
            "pushgate_sealed": Base64URL.encode(body),
        ]
    }

    @Test("An opened notification has every part, and its data is read as that of other notifications")
    func full() throws {
        let opened = notifications.open(
            userInfo: try userInfo(
                #"""
                {"v":1,"title":"website@build-server","body":"Done: größe.","badge":3,"sound":"default","thread":"t",
                 "collapse_id":"c","data":{"type":"reply_finished","server_key":"f295","cwd":"/srv/größe",
                 "gcm.message_id":"m1","pushgate_receipt":"https://push.example.com/v1/receipts/m1.sig"}}
                """#))
        #expect(opened?.title == "website@build-server" && opened?.body == "Done: größe.")
        #expect(opened?.badge == 3 && opened?.sound == "default")
        #expect(opened?.threadID == "t" && opened?.collapseID == "c")
        let data = try #require(opened?.data)
        guard case .replyFinished(let reply)? = PushPayload(userInfo: data) else {
            Issue.record("the data is no reply: \(data)")
            return
        }
        #expect(reply.serverKey == "f295" && reply.cwd == "/srv/größe" && reply.messageID == "m1")
        #expect(NotificationReceipt(userInfo: data)?.id == "m1.sig")
    }

    @Test("A notification with nothing but its version opens")
    func least() throws {
        let opened = try #require(notifications.open(userInfo: try userInfo(#"{"v":1,"later":[1]}"#)))
        #expect(opened.title == nil && opened.body == nil && opened.data.isEmpty && opened.badge == nil)
    }

    @Test("A message of Web Push has the sealed text in its data, as a JSON object")
    func webPush() throws {
        let sealed = try #require(try userInfo(#"{"v":1,"title":"x"}"#)["pushgate_sealed"] as? String)
        for message in [
            #"{"data":{"pushgate_sealed":"\#(sealed)"},"message_id":"m1"}"#, #"{"pushgate_sealed":"\#(sealed)"}"#,
        ] {
            #expect(notifications.open(json: Data(message.utf8))?.title == "x")
        }
        for message in [
            #"{"data":"\#(sealed)"}"#, #"{"data":{"other":"\#(sealed)"}}"#, #"["\#(sealed)"]"#, "", "x",
        ] {
            #expect(notifications.open(json: Data(message.utf8)) == nil, "\(message)")
        }
    }

    @Test("A notification of another version, and a content that is no object, keep the neutral text")
    func otherForms() throws {
        for text in [#"{"v":2,"title":"x"}"#, #"{"title":"x"}"#, "[1]", "x", ""] {
            #expect(notifications.open(userInfo: try userInfo(text)) == nil, "\(text)")
        }
    }

    @Test("A notification that is not sealed, or not for these keys, keeps the neutral text")
    func notForThisDevice() throws {
        for value in ["", "x", "AAAA", 7] as [Any] {
            #expect(notifications.open(userInfo: ["pushgate_sealed": value]) == nil)
        }
        #expect(notifications.open(userInfo: ["aps": ["alert": "x"]]) == nil)
        let sealed = try userInfo(#"{"v":1,"title":"x"}"#)
        let another = InMemoryRelayStorage()
        let elsewhere = SealedNotifications(storage: another, cryptography: OpenSSLCryptography())
        #expect(elsewhere.open(userInfo: sealed) == nil)
        let keys = try RelayKeys(random: OpenSSLCryptography())
        try another.save(try JSONEncoder().encode(RelayState(keys: keys, relay: "https://relay.example.com")))
        #expect(elsewhere.open(userInfo: sealed) == nil)
        #expect(notifications.open(userInfo: sealed)?.title == "x")
    }

    @Test("While the device is locked a notification keeps the neutral text")
    func locked() throws {
        let sealed = try userInfo(#"{"v":1,"title":"x"}"#)
        storage.setLocked(true)
        #expect(notifications.open(userInfo: sealed) == nil)
        storage.setLocked(false)
        #expect(notifications.open(userInfo: sealed)?.title == "x")
    }
}
