import Foundation
import NIOCore
import Testing

@testable import Gateway
@testable import Instance

@Suite("Errors of listening")
struct ListeningFailureTests {
    private func words(_ code: CInt, port: Int = 443) -> String? {
        GatewayError(
            listeningFailure: IOError(errnoCode: code, reason: "bind"), host: "10.1.2.3", port: port,
            key: "fcm.tls.port")?
            .description
    }

    @Test("A refused port below 1024 is reported with its key and the ways to allow it")
    func privileged() throws {
        for code in [EACCES, EPERM] {
            let text = try #require(words(code))
            #expect(text.hasPrefix("fcm.tls.port: ") && text.contains("port 443") && text.contains("below 1024"))
            #expect(text.contains("CAP_NET_BIND_SERVICE"))
        }
    }

    @Test("An address of another machine is reported with the host's key")
    func host() throws {
        let text = try #require(words(EADDRNOTAVAIL))
        #expect(text.hasPrefix("http.host: 10.1.2.3 ") && text.contains("0.0.0.0"))
    }

    @Test("A port that is taken is reported by number, and other failures are not translated")
    func others() {
        #expect(words(EADDRINUSE, port: 8_080)?.contains("port 8080 on 10.1.2.3 is in use") == true)
        #expect(words(EMFILE) == nil)
        let other = GatewayError(listeningFailure: CancellationError(), host: "", port: 0, key: "")
        #expect(other == nil)
    }
}
