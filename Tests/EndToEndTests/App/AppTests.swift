import APNsSimulator
import DocumentStore
import Foundation
import JSON
import PushgateClient
import TestDoubles
import TestSupport
import Testing

/// Tests the whole path: client library, URLSession, gateway, Apple's side, and back into the client library.
@Suite("App with the client library", .timeLimit(.minutes(10)))
struct AppTests {
    private static let app = "/srv/größe/app"
    private static let web = "/srv/web"

    private func withPhone(
        _ suffix: String = "", _ body: (Phone, RunningGateway, RunningSimulator) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            try await withSimulator { apns in
                try await withGateway(["functions.codeagents.triggerWait": "30s"], simulator: apns) { gateway in
                    let phone = try Phone(gateway, suffix: suffix, file: folder + "/push/subscriptions.json")
                    try await body(phone, gateway, apns)
                }
            }
        }
    }

    @Test(
        "An app subscribes its chats, and moves all of them to a new device token",
        arguments: ["", "/", "/demo/us-central1/"])
    func tokens(suffix: String) async throws {
        try await withPhone(suffix) { phone, _, apns in
            let (first, second) = (String.randomToken(), String.randomToken())
            let chats = [phone.chat(Self.app), phone.chat(Self.web)]
            try await phone.subscriptions.tokenDidChange(to: first)
            for chat in chats {
                #expect(try await phone.subscriptions.subscribe(to: chat, displayName: "The agent") == .registered)
                #expect(try await phone.device(in: chat)?["fcmToken"] == .string(first))
                #expect(try await phone.device(in: chat)?["platform"] == .string(AppBuild.currentPlatform))
            }
            let report = try await phone.subscriptions.tokenDidChange(to: second)
            #expect(report.registered == Set(chats) && report.failed.isEmpty)
            for chat in chats { #expect(try await phone.device(in: chat)?["fcmToken"] == .string(second)) }

            #expect(try await phone.daemon.trigger(cwd: Self.web).body["sent"] == 1)
            let notification = try #require(apns.simulator.received().first)
            #expect(notification.token == second)
            #expect(notification.payload?["aps"]?["alert"]?["title"] == "The agent")
        }
    }

    @Test("An app finds the chat of a notification, and shows no banner in that chat")
    func deepLink() async throws {
        try await withPhone { phone, _, apns in
            let chat = phone.chat(Self.app)
            try await phone.subscriptions.tokenDidChange(to: .randomToken())
            try await phone.subscriptions.subscribe(to: chat)
            try await phone.daemon.trigger(
                cwd: Self.app, preview: "Done.",
                [
                    "conversation_id": "c-42", "completion_id": "run-7", "renderable_assistant_count": 3,
                    "assistant_message_cursor": 12, "cursor_version": 2,
                ])
            let notification = try #require(apns.simulator.received().first)
            let payload = try #require(PushPayload(json: Data(notification.body)))
            guard case .replyFinished(let reply) = payload else {
                Issue.record("the payload is no reply: \(payload)")
                return
            }
            #expect(reply.conversationID == "c-42" && reply.completionID == "run-7")
            #expect(reply.renderableAssistantCount == 3)
            #expect(reply.assistantMessageCursor == 12 && reply.cursorVersion == 2)
            #expect(reply.agentKey == chat.agentKey && notification.collapseID == chat.agentKey)

            let router = phone.router
            #expect(router.destination(of: reply, projects: [phone.chat(Self.web), chat]) == .chat(chat))
            #expect(
                router.destination(of: reply, projects: [phone.chat(Self.web)])
                    == .unknownProject(serverID: Phone.serverID, cwd: Self.app))
            #expect(NotificationRouter(servers: []).destination(of: reply, projects: [chat]) == .unknownServer)
            #expect(router.banner(for: payload, isInForeground: true, openChats: [chat]) == .suppress)
            #expect(router.banner(for: payload, isInForeground: true, openChats: [phone.chat(Self.web)]) == .show)
            #expect(router.banner(for: payload, isInForeground: false, openChats: [chat]) == .show)
        }
    }

    @Test("An app that unsubscribes from a chat or a server gets no more notifications for it")
    func unsubscribes() async throws {
        try await withPhone { phone, _, apns in
            let chats = ["/a", "/b", "/c"].map(phone.chat)
            try await phone.subscriptions.tokenDidChange(to: .randomToken())
            for chat in chats { try await phone.subscriptions.subscribe(to: chat) }
            try await phone.subscriptions.unsubscribe(from: chats[0])
            #expect(try await phone.device(in: chats[0]) == nil)
            #expect(try await phone.device(in: chats[1]) != nil)
            #expect(try await phone.daemon.trigger(cwd: "/a").body["attempted"] == 0)
            try await phone.subscriptions.unsubscribe(fromServer: Phone.serverID)
            for chat in chats { #expect(try await phone.device(in: chat) == nil) }
            #expect(try await phone.daemon.trigger(cwd: "/b").body["attempted"] == 0)
            #expect(apns.simulator.received().isEmpty)
            #expect(try await phone.subscriptions.subscriptions().isEmpty)
        }
    }

    @Test("An app gets the notifications of a daemon whose environment file it set up")
    func environmentFile() async throws {
        try await withTemporaryDirectory { folder in
            try await withGateway { gateway in
                var file = EnvironmentFile("HOST=0.0.0.0\n")
                let secret = try file.enablePush(gateway: try #require(GatewayURL(gateway.url)))
                let phone = try Phone(gateway, secret: secret.value, file: folder + "/subscriptions.json")
                try await phone.subscriptions.tokenDidChange(to: "emulated:phone")
                try await phone.subscriptions.subscribe(to: phone.chat(Self.app))
                let daemon = Daemon(
                    gateway.caller, secret: try #require(file.value(of: EnvironmentFile.secretKey)))
                #expect(try await daemon.trigger(cwd: Self.app).body["sent"] == 1)
            }
        }
    }
}
