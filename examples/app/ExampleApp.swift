#if canImport(UIKit)
    import PushgateClient
    import SwiftUI
    import UserNotifications

    @main
    struct ExampleApp: App {
        @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate
        @Environment(\.scenePhase) private var scenePhase

        var body: some Scene {
            WindowGroup {
                ChatView(screen: .shared)
                    .task(id: scenePhase) {
                        guard scenePhase == .active else { return }
                        await AppDelegate.push.becameActive()
                        Screen.shared.status = await AppDelegate.push.state(of: OneServer.id)
                    }
            }
        }
    }

    /// The state of the app's only screen.
    @MainActor @Observable
    final class Screen {
        static let shared = Screen()

        var folder = "/srv/app"
        var status = ""
        /// The chats of the app. An app with several servers has a list of projects here.
        var chats: [Chat] { [Chat(serverID: OneServer.id, cwd: folder)] }
        /// The chats that the user is looking at, whose notifications show no banner. This screen shows none.
        var openChats: Set<Chat> { [] }
    }

    private struct ChatView: View {
        @Bindable var screen: Screen
        @State private var gateway = ""
        @State private var secret = ""
        @State private var link = ""

        var body: some View {
            Form {
                TextField("https://push.your-domain.com/try#…", text: $link).keyboardType(.URL)
                Button("Pair") { Task { await pair() } }
                TextField("https://push.your-domain.com", text: $gateway).keyboardType(.URL)
                SecureField("Secret of the server", text: $secret)
                TextField("Folder", text: $screen.folder)
                Button("Notify me") { Task { await subscribe() } }
                Text(screen.status)
            }
            .autocorrectionDisabled().textInputAutocapitalization(.never)
        }

        /// Pairs by a link. An app reads it from a QR code with its camera.
        private func pair() async {
            do {
                guard let pairing = try await Push.pairing(by: link) else {
                    screen.status = "This is no link of pushgate pair."
                    return
                }
                try Keychain.store(String(decoding: try JSONEncoder().encode(pairing), as: UTF8.self), as: "pairing")
                screen.folder = pairing.cwd
            } catch {
                screen.status = error.localizedDescription
                return
            }
            await openChats()
        }

        private func subscribe() async {
            do {
                try Keychain.store(gateway, as: "gateway")
                try Keychain.store(secret, as: "secret")
                Keychain.remove("pairing")
            } catch {
                screen.status = error.localizedDescription
                return
            }
            await openChats()
        }

        private func openChats() async {
            do {
                // The system shows no notification before the user allows it.
                let center = UNUserNotificationCenter.current()
                guard try await center.requestAuthorization(options: [.alert, .sound]) else {
                    screen.status = "Allow notifications in the settings of the phone."
                    return
                }
            } catch {
                screen.status = error.localizedDescription
                return
            }
            for chat in screen.chats { screen.status = await AppDelegate.push.open(chat, name: "My agent") }
        }
    }
#endif
