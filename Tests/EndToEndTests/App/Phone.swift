import DocumentStore
import Foundation
import Gateway
import PushgateClient
import TestSupport

/// A device with the app, and one server with push enabled.
struct Phone {
    static let serverID = "server-1"

    let server: PushServer
    let subscriptions: PushSubscriptions
    private let gateway: RunningGateway

    /// - Parameters:
    ///   - suffix: The part of the app's base URL after the gateway's address.
    ///   - file: The path of the file in which the app keeps its list.
    init(_ gateway: RunningGateway, suffix: String = "", secret: String = .randomSecret(), file: String) throws {
        guard let url = GatewayURL(gateway.url + suffix), let secret = PushSecret(secret) else { throw Unusable() }
        let server = PushServer(id: Self.serverID, secret: secret, gateway: url)
        self.server = server
        self.gateway = gateway
        subscriptions = PushSubscriptions(
            servers: OneServer(server: server), storage: JSONFileStorage(file: URL(fileURLWithPath: file)))
    }

    private struct Unusable: Error {}

    var router: NotificationRouter { NotificationRouter(servers: [server]) }
    /// The daemon of the server, with the same secret.
    var daemon: Daemon { Daemon(gateway.caller, secret: server.secret.value) }

    func chat(_ cwd: String) -> Chat { Chat(serverID: Self.serverID, cwd: cwd) }

    /// Returns the gateway's document of this device below the chat's agent; `nil` if there is none.
    func device(in chat: Chat) async throws -> Document? {
        let devices = "servers/\(server.secret.serverKey)/agents/\(chat.agentKey)/devices"
        let id = try await subscriptions.installationID()
        return try await gateway.gateway.store.document(at: DocumentPath("\(devices)/\(id)"))
    }
}

private struct OneServer: PushServerDirectory {
    let server: PushServer

    func servers() -> [PushServer] { [server] }
}
