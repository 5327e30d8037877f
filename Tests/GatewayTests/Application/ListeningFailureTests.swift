import Foundation
import NIOCore
import Testing

@testable import Gateway

@Suite("A failure to listen")
struct ListeningFailureTests {
    private func words(_ code: CInt, port: Int = 443) -> String? {
        GatewayError(
            listeningFailure: IOError(errnoCode: code, reason: "bind"), host: "10.1.2.3", port: port,
            key: "fcm.tls.port")?
            .description
    }

    @Test("on a port below 1024 names the port's key, and the ways around it")
    func privileged() throws {
        for code in [EACCES, EPERM] {
            let text = try #require(words(code))
            #expect(text.hasPrefix("fcm.tls.port: ") && text.contains("port 443") && text.contains("below 1024"))
            #expect(text.contains("CAP_NET_BIND_SERVICE"))
        }
    }

    @Test("on an address of another machine names the host")
    func host() throws {
        let text = try #require(words(EADDRNOTAVAIL))
        #expect(text.hasPrefix("http.host: 10.1.2.3 ") && text.contains("0.0.0.0"))
    }

    @Test("on a port that is taken names it, and any other is left as it is")
    func others() {
        #expect(words(EADDRINUSE, port: 8_080)?.contains("port 8080 on 10.1.2.3 is taken") == true)
        #expect(words(EMFILE) == nil)
        let other = GatewayError(listeningFailure: CancellationError(), host: "", port: 0, key: "")
        #expect(other == nil)
    }
}
