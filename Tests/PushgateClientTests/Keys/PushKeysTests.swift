import Foundation
import PushgateClient
import Testing

@Suite("Keys of servers and agents")
struct PushKeysTests {
    /// The expected digests are from `sha256sum`.
    @Test("A server or agent key is the SHA-256 of the trimmed text in lower-case hexadecimal")
    func digests() {
        #expect(
            PushKeys.agentKey(cwd: "/home/me/projects/website")
                == "a4710fe5be47103e3163a3942aa3b818bb7b02d0cf367240b8bb49524c272ea6")
        #expect(
            PushKeys.serverKey(secret: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(PushKeys.serverKey(secret: "\u{FEFF} abc\r\n") == PushKeys.serverKey(secret: "abc"))
        #expect(PushKeys.agentKey(cwd: "\t/srv/größe\u{00A0}") == PushKeys.agentKey(cwd: "/srv/größe"))
        #expect(PushKeys.agentKey(cwd: "/srv/a b") != PushKeys.agentKey(cwd: "/srv/ab"))
    }

    @Test("A chat's key is made from its folder, and a server's from its secret")
    func ofValues() throws {
        let secret = try #require(PushSecret(" abc\n"))
        #expect(secret.serverKey == PushKeys.serverKey(secret: "abc"))
        #expect(Chat(serverID: "one", cwd: "/srv").agentKey == PushKeys.agentKey(cwd: "/srv"))
    }

    @Test("Blanks around a chat's folder change neither the chat nor its key")
    func blanks() throws {
        let chat = Chat(serverID: "one", cwd: "\t/srv/my app \n")
        #expect(chat.cwd == "/srv/my app")
        #expect(chat == Chat(serverID: "one", cwd: "/srv/my app"))
        let kept = Data(#"{"serverID":"one","cwd":" /srv/my app"}"#.utf8)
        #expect(try JSONDecoder().decode(Chat.self, from: kept) == chat)
    }

    @Test("Folders with different bytes have different keys, even if they look the same")
    func bytes() {
        let composed = Chat(serverID: "one", cwd: "/srv/gr\u{F6}\u{DF}e")
        let decomposed = Chat(serverID: "one", cwd: "/srv/gro\u{308}\u{DF}e")
        #expect(composed.cwd == decomposed.cwd)
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
        #expect(composed.agentKey != decomposed.agentKey)
    }
}
