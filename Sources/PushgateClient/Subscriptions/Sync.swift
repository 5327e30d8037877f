import Foundation

/// A server as its gateway identifies it. The app may list it under two ids.
struct ServerAccount: Hashable, Sendable {
    let gateway: GatewayURL
    let secret: PushSecret
    /// The pairing that the secret is the credential of; `nil` if it is the server's own.
    let pairing: DevicePairing?
}

/// A turn of sending requests to one server, with its occasion.
struct Sync: Sendable {
    let account: ServerAccount
    /// The ids under which the app lists the server.
    let serverIDs: Set<String>
    /// The opening of a chat that is the occasion; `nil` for other occasions.
    let opening: SyncPlan.Opening?

    /// Creates a turn; `nil` if the server is not listed.
    init?(of serverID: String, in servers: [PushServer], opening: SyncPlan.Opening?) {
        guard let account = servers.first(where: { $0.id == serverID })?.account else { return nil }
        self.account = account
        self.opening = opening
        serverIDs = Set(servers.filter { $0.account == account }.map(\.id))
    }

    /// Returns `true` for a chat of the server that this device may subscribe to.
    func concerns(_ chat: Chat) -> Bool {
        serverIDs.contains(chat.serverID) && account.pairing?.permits(chat.cwd) ?? true
    }
}

extension PushServer {
    var account: ServerAccount { ServerAccount(gateway: gateway, secret: secret, pairing: pairing) }
}

/// The last failure of each server. Callers that waited meanwhile fail with it, and a gateway that asked for a pause
/// gets no requests.
struct ServerFailures: Sendable {
    /// A position in the order of failures.
    struct Mark: Sendable { fileprivate let count: Int }

    private struct Failure {
        let error: PushClientError
        let number: Int
        let until: Date?
    }

    private var last: [ServerAccount: Failure] = [:]
    private var count = 0

    var mark: Mark { Mark(count: count) }

    /// Records the error that ended a turn, except a cancellation, which is not the server's.
    mutating func note(_ error: PushClientError, of server: ServerAccount, now: Date) {
        guard error != .cancelled else { return }
        count += 1
        let pause = error.retryAfter.map { TimeInterval($0.components.seconds) }
        last[server] = Failure(error: error, number: count, until: pause.map(now.addingTimeInterval))
    }

    /// Returns the error that ended the last turn of a server that failed; `nil` if none did.
    func lastError(of server: ServerAccount) -> PushClientError? { last[server]?.error }

    /// Returns the error with which a call fails at once: the error of a turn that failed since the mark, or one
    /// whose pause has not ended; otherwise `nil`.
    func error(of server: ServerAccount, since mark: Mark, now: Date) -> PushClientError? {
        guard let failure = last[server] else { return nil }
        if let until = failure.until, until > now {
            return failure.error.waiting(.seconds(until.timeIntervalSince(now).rounded(.up)))
        }
        return failure.number > mark.count ? failure.error : nil
    }
}
