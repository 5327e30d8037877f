import APNsSimulator
import Foundation
import JSON
import PushgateClient
import TestSupport
import Testing

@testable import ExampleApp

/// The part of the app of examples/app that is not about screens, against a gateway and Apple's side.
@Suite("App of the examples", .timeLimit(.minutes(10)))
struct ExampleAppTests {
    private static let chat = Chat(serverID: ExampleApp.OneServer.id, cwd: "/srv/app")

    private static func push(
        _ folder: String, _ stored: @escaping @Sendable () throws -> (gateway: String, secret: String)?
    ) -> Push {
        Push(
            servers: ExampleApp.OneServer(stored: stored), file: URL(filePath: folder + "/push.json"),
            build: AppBuild(bundleID: RunningSimulator.bundleID, apnsEnvironment: .sandbox))
    }

    /// Returns a device token as the system has it.
    private func bytes(of token: String) throws -> Data {
        let digits = Array(token)
        return Data(
            try stride(from: 0, to: digits.count, by: 2).map { start in
                try #require(UInt8(String(digits[start...(start + 1)]), radix: 16))
            })
    }

    @Test("The app subscribes when it has a token, is notified, and finds the chat of the notification")
    func notified() async throws {
        try await withTemporaryDirectory { folder in
            try await withSimulator { apns in
                try await withGateway(["functions.codeagents.triggerWait": "30s"], simulator: apns) { gateway in
                    let daemon = Daemon(gateway.caller)
                    let (url, secret) = (gateway.url, daemon.secret)
                    let token = String.randomToken()
                    let push = Self.push(folder) { (url, secret) }
                    let early = await push.open(Self.chat, name: "My agent")
                    #expect(early.hasPrefix("Waiting for the device's token."))

                    await push.deviceTokenArrived(try bytes(of: token))
                    let opened = await push.open(Self.chat, name: "My agent")
                    #expect(opened == "This device is notified of /srv/app.")
                    #expect(try await daemon.trigger(preview: "Done.").body["sent"] == 1)
                    let notification = try #require(apns.simulator.received().first)
                    #expect(notification.token == token)
                    #expect(notification.payload?["aps"]?["alert"] == ["title": "My agent", "body": "Done."])

                    let payload = PushPayload(json: Data(notification.body))
                    #expect(await push.isShown(payload, isActive: true, openChats: []))
                    #expect(await push.isShown(payload, isActive: false, openChats: [Self.chat]))
                    #expect(await !push.isShown(payload, isActive: true, openChats: [Self.chat]))
                    #expect(await push.chat(of: payload, among: [Self.chat]) == Self.chat)
                    #expect(await push.chat(of: payload, among: []) == nil)
                }
            }
        }
    }

    @Test("The app asks for the server's texts, and sends later what it cannot send now")
    func withoutServer() async throws {
        try await withTemporaryDirectory { folder in
            let empty = Self.push(folder) { nil }
            await empty.deviceTokenArrived(Data(repeating: 0xA1, count: 32))
            #expect(await empty.open(Self.chat, name: "My agent") == "Enter the gateway and the secret first.")
            try await withGateway { gateway in
                let daemon = Daemon(gateway.caller)
                let (url, secret) = (gateway.url, daemon.secret)
                let push = Self.push(folder) { (url, secret) }
                await push.deviceTokenArrived(Data(repeating: 0xA1, count: 32))
                await push.becameActive()
                let attempted = try await daemon.trigger().body["attempted"]
                #expect(attempted == 1)
            }
        }
    }
}
