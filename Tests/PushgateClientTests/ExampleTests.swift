import Foundation
import PushgateClient
import TestBasics
import Testing

/// The code of the reference's first page, which readers copy.
@Suite("Example of the client's reference", .timeLimit(.minutes(10)))
struct ExampleTests {
    @Test("Each example of the client's reference is in this file")
    func areHere() throws {
        let examples = try DocumentedExample.all(in: "Sources/PushgateClient/PushgateClient.docc/PushgateClient.md")
        #expect(examples.count == 2)
        #expect(try examples.filter { try !$0.isPart(of: #filePath) }.map(\.description) == [])
    }

    @Test("The example of the client's reference registers a chat, and shows no banner while the chat is open")
    func reference() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nConnection: close\r\n\r\n{\"ok\":true}"
        try await LoopbackServer.running(answering: { _ in answer }) { server in
            try await withTemporaryDirectory { directory in
                let file = URL(filePath: directory).appending(path: "push.json")
                let gateway = try #require(GatewayURL(server.url))
                let secret = PushSecret.random()
                let deviceToken = Data([0xA1, 0xB2])
                let userInfo = ["type": "reply_finished", "server_key": secret.serverKey, "cwd": "/srv/app"]

                let push = PushSubscriptions(
                    servers: Servers(gateway: gateway, secret: secret), storage: JSONFileStorage(file: file),
                    build: AppBuild(bundleID: "com.example.app", apnsEnvironment: .production))

                // At every launch, when the system provides the device's token.
                try await push.tokenDidChange(to: deviceToken)

                // When the user opens a chat.
                let chat = Chat(serverID: "home", cwd: "/srv/app")
                try await push.subscribe(to: chat, displayName: "app@home")

                // When a notification arrives while the app runs.
                let payload = PushPayload(userInfo: userInfo)
                let banner = await push.banner(for: payload, isInForeground: true, openChats: [chat])

                #expect(banner == .suppress)
                #expect(server.requests.count == 1)
                #expect(server.requests.first?.contains(#""fcm_token":"a1b2""#) == true)
            }
        }
    }
}

struct Servers: PushServerDirectory {
    let gateway: GatewayURL
    let secret: PushSecret

    func servers() async throws -> [PushServer] {
        [PushServer(id: "home", secret: secret, gateway: gateway)]
    }
}
