import NIOCore
import Testing

@testable import ConnectProxy

@Suite("Reader of requests to the proxy", .timeLimit(.minutes(10)))
struct ConnectReaderTests {
    private static let good = "CONNECT fcm.googleapis.com:443 HTTP/1.1\r\nHost: fcm.googleapis.com:443\r\n"

    private func read(_ text: String) -> ConnectReader.Outcome {
        var reader = ConnectReader(.google)
        return reader.receive(ByteBuffer(string: text))
    }

    @Test(
        "A CONNECT request to one of Google's names is accepted",
        arguments: [
            good + "\r\n", "\r\n" + good + "\r\n",
            good + "User-Agent: x\r\nProxy-Authorization: Basic eDp5\r\nX: \ta \u{e4}\r\nEmpty:\r\n\r\n",
            "CONNECT FCM.GoogleAPIs.com:443 HTTP/1.1\r\nhost: x\r\n\r\n",
            "CONNECT iid.googleapis.com:443 HTTP/1.0\r\n\r\n",
            "CONNECT fcmregistrations.googleapis.com:443 HTTP/1.1\r\nHost:\r\n\r\n",
            "CONNECT oauth2.googleapis.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
            "CONNECT www.googleapis.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
        ])
    func taken(text: String) {
        #expect(read(text) == .connect(rest: ByteBuffer()))
    }

    @Test("The bytes after a CONNECT request are left to the tunnel, with any split")
    func pieces() {
        let text = Self.good + "\r\n"
        #expect(read(text + "\u{16}\u{3}\r\n\r\nmore") == .connect(rest: ByteBuffer(string: "\u{16}\u{3}\r\n\r\nmore")))
        var reader = ConnectReader(.google)
        #expect(!reader.hasBegun)
        for byte in text.utf8.dropLast() {
            #expect(reader.receive(ByteBuffer(bytes: [byte])) == .incomplete)
            #expect(reader.hasBegun)
        }
        #expect(reader.receive(ByteBuffer(string: "\n!")) == .connect(rest: ByteBuffer(string: "!")))
    }

    @Test(
        "A CONNECT request to another destination is refused",
        arguments: [
            "example.com:443", "fcm.googleapis.com:80", "fcm.googleapis.com:8443", "fcm.googleapis.com:0443",
            "evil-fcm.googleapis.com:443", "fcm.googleapis.com.evil.example:443", "googleapis.com:443",
            "accounts.google.com:443", "localhost:443", "127.0.0.1:443", "[::1]:443", "169.254.169.254:443",
            "fcm.googleapis.com.:443", "fcm.googleapis.com:443:443", "xn--fcm:443", "*.googleapis.com:443",
        ])
    func otherPlace(authority: String) {
        #expect(
            read("CONNECT \(authority) HTTP/1.1\r\nHost: x\r\n\r\n") == .refused(.destination, isHead: false))
    }

    @Test("A CONNECT request to a name with one of the ends is accepted, and one to the end itself is not")
    func suffixes() {
        let destinations = ConnectDestinations(hosts: [], hostSuffixes: [".push.apple.com"], purpose: "")
        for (host, isAccepted) in [
            ("web.push.apple.com", true), ("A.PUSH.APPLE.COM", true), ("push.apple.com", false),
            ("notpush.apple.com", false), ("web.push.apple.com.example.net", false),
        ] {
            var reader = ConnectReader(destinations)
            let outcome = reader.receive(ByteBuffer(string: "CONNECT \(host):443 HTTP/1.1\r\nHost: x\r\n\r\n"))
            #expect(
                outcome == (isAccepted ? .connect(rest: ByteBuffer()) : .refused(.destination, isHead: false)),
                "\(host)")
        }
    }

    @Test(
        "A request to the proxy with another method is refused",
        arguments: ["GET", "POST", "PUT", "OPTIONS", "connect", "Connect", "CONNECTED", "PRI", "HEAD"])
    func otherMethod(method: String) {
        for target in ["http://fcm.googleapis.com/", "/healthz", "*", "fcm.googleapis.com:443"] {
            #expect(
                read("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n") == .refused(.method, isHead: method == "HEAD"))
        }
    }

    @Test(
        "A malformed CONNECT request is refused",
        arguments: [
            "CONNECT fcm.googleapis.com HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT :443 HTTP/1.1\r\nHost: x\r\n\r\n",
            "CONNECT fcm.googleapis.com: HTTP/1.1\r\nHost: x\r\n\r\n",
            "CONNECT fcm.googleapis.com:https HTTP/1.1\r\nHost: x\r\n\r\n",
            "CONNECT fcm.googleapis.com:-1 HTTP/1.1\r\nHost: x\r\n\r\n",
            "CONNECT fcm.googleapis.com:65979 HTTP/1.1\r\nHost: x\r\n\r\n",
            "CONNECT user@fcm.googleapis.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
            "CONNECT https://fcm.googleapis.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
            "CONNECT / HTTP/1.1\r\nHost: x\r\n\r\n",
            "CONNECT  fcm.googleapis.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
            "CONNECT fcm.googleapis.com:443  HTTP/1.1\r\nHost: x\r\n\r\n",
            " CONNECT fcm.googleapis.com:443 HTTP/1.1\r\nHost: x\r\n\r\n",
            "CONNECT fcm.googleapis.com:443\r\nHost: x\r\n\r\n",
            "CONNECT fcm.googleapis.com:443 HTTP/2.0\r\nHost: x\r\n\r\n",
            "CONNECT fcm.googleapis.com:443 http/1.1\r\nHost: x\r\n\r\n",
            "CONNECT fcm.googleapis.com:443 HTTP/1.1 \r\nHost: x\r\n\r\n",
            "CONNECT fcm.googleapis.com:443 HTTP/1.1\r\n\r\n",
            good + "Host: again\r\n\r\n", good + "No colon\r\n\r\n", good + ": no name\r\n\r\n",
            good + "Space : x\r\n\r\n", good + " folded: x\r\n\r\n", good + "\tfolded\r\n\r\n",
            good + "Nul: \u{0}\r\n\r\n", good + "Return: a\rb\r\n\r\n", good + "Delete: \u{7f}\r\n\r\n",
            "CONNECT fcm.googleapis.com:443 HTTP/1.1\nHost: x\n\n", good + "\n", good + "Bare: x\n\r\n",
            "\u{16}\u{3}\u{1}\u{2}\n",
        ])
    func malformed(text: String) {
        #expect(read(text) == .refused(.malformed, isHead: false))
    }

    @Test("A CONNECT request is accepted up to 8,192 bytes, and refused beyond, even if it never ends")
    func tooLong() {
        let rest = ConnectReader.maximumBytes - Self.good.utf8.count - "Long: \r\n\r\n".utf8.count
        let fitting = Self.good + "Long: " + String(repeating: "a", count: rest) + "\r\n\r\n"
        #expect(read(fitting) == .connect(rest: ByteBuffer()))
        let longer = Self.good + "Long: a" + String(repeating: "a", count: rest) + "\r\n\r\n"
        #expect(read(longer) == .refused(.tooLarge, isHead: false))
        #expect(read(String(repeating: "a", count: 8_192)) == .incomplete)
        #expect(read(String(repeating: "a", count: 8_193)) == .refused(.tooLarge, isHead: false))
        #expect(read(String(repeating: "\r\n", count: 5_000)) == .refused(.tooLarge, isHead: false))
    }
}
