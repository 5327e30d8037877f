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

    /// The expected digests are from `sha256sum`. From 56 bytes on, the length has no place in the first block, and
    /// from 120 on none in the second one.
    @Test(
        "Texts of every length have the digests of SHA-256, at the ends of blocks too",
        arguments: [
            (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
            (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
            (120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
            (1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
        ])
    func lengths(count: Int, digest: String) {
        #expect(PushKeys.serverKey(secret: String(repeating: "a", count: count)) == digest)
    }

    /// The expected digest is `sha256sum`'s of the 201 digests, which are 12,864 bytes, in the order of the lengths.
    @Test("The digests of all texts of up to 200 bytes are those of SHA-256, and that of an empty text is too")
    func everyLength() {
        let digests = (0...200).map { PushKeys.agentKey(cwd: String(repeating: "a", count: $0)) }
        #expect(digests[0] == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(Set(digests).count == 201)
        #expect(
            PushKeys.agentKey(cwd: digests.joined())
                == "eb555248bd20c7831e511d4461b42c9b084e3a64b44d57b00051172f8afe03ff")
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
