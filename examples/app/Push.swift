import Foundation
import PushgateClient

/// The notifications of the app's chats. It knows no screen: the app's delegate and its views call it.
struct Push: Sendable {
    let subscriptions: PushSubscriptions

    /// - Parameters:
    ///   - servers: The servers that may notify this device.
    ///   - relay: The relay of the app's author; `nil` if the gateways have the app's key.
    ///   - file: The file for the list of subscribed chats, in a folder that lasts.
    ///   - build: The app and the environment of its tokens. Builds that Xcode runs are in the sandbox.
    init(servers: any PushServerDirectory, relay: RelayClient? = nil, file: URL, build: AppBuild) {
        subscriptions = PushSubscriptions(
            servers: servers, relay: relay, storage: JSONFileStorage(file: file), build: build)
    }

    /// Exchanges the code in a link of `pushgate pair`, from a QR code or a message, for the right to the notifications
    /// of one agent. The app stores it, and then opens the agent's chat.
    static func pairing(
        by text: String, http: any HTTPSending = URLSessionSender()
    ) async throws(PushClientError) -> DevicePairing? {
        try await PairingLink(text)?.pair(by: http)
    }

    /// Returns a text for the user about the notifications of a server.
    func state(of serverID: String) async -> String {
        switch try? await subscriptions.registrations()[serverID] {
        case .registered: "Notifications are on."
        case .notRegistered: "This device is not registered: notifications do not arrive."
        case .unknown, nil: "The gateway has not answered yet."
        }
    }

    /// Registers all chats again if the token is new. The delegate calls it at every launch.
    func deviceTokenArrived(_ token: Data) async {
        _ = try? await subscriptions.tokenDidChange(to: token)
    }

    /// Subscribes to a chat, and returns a text for the user.
    func open(_ chat: Chat, name: String) async -> String {
        do {
            switch try await subscriptions.subscribe(to: chat, displayName: name) {
            case .registered, .unchanged: return "This device is notified of \(chat.cwd)."
            case .waitingForToken: return "Waiting for the device's token. Are notifications allowed?"
            case .pushNotEnabled: return "Enter the gateway and the secret first."
            }
        } catch {
            // The relay's error is among these. The list keeps a request that failed, and it is sent when the app comes
            // to the foreground.
            return "\(error)"
        }
    }

    /// Sends what could not be sent before, as long as the gateway asks for pauses.
    func becameActive() async {
        do {
            while let pause = try await subscriptions.registerPending().retryAfter { try await Task.sleep(for: pause) }
        } catch {}
    }

    /// Returns `true` if a notification that arrives while the app runs is to be shown: its chat is not on the screen.
    func isShown(_ payload: PushPayload?, isActive: Bool, openChats: Set<Chat>) async -> Bool {
        await subscriptions.banner(for: payload, isInForeground: isActive, openChats: openChats) == .show
    }

    /// Returns the chat that a tap on a notification opens; `nil` if none of `chats`.
    func chat(of payload: PushPayload?, among chats: [Chat]) async -> Chat? {
        guard case .replyFinished(let reply)? = payload,
            case .chat(let chat)? = try? await subscriptions.destination(of: reply, projects: chats)
        else { return nil }
        return chat
    }
}
