import Cryptography
import DocumentStore
import Synchronization

/// What a user of the console may do.
enum ConsoleRole: Hashable, Sendable {
    /// Signed in with the admin token.
    case administrator
    /// Signed in with the token that reads only.
    case reader
}

/// The sessions of users of the console, in memory: a restart signs everybody out.
///
/// A session ends after half an hour without a click, after twelve hours in any case, and when its user signs out.
final class ConsoleSessions: Sendable {
    static let idle = Duration.seconds(30 * 60)
    static let longest = Duration.seconds(12 * 60 * 60)
    /// More sessions of a role replace its oldest ones, and never those of the other role.
    static let capacity = 1_000

    /// A session of a user.
    struct Session: Sendable {
        let role: ConsoleRole
        /// The value that forms of this session contain, which no page of another site knows.
        let formKey: String
        let createdAt: Timestamp
        fileprivate(set) var usedAt: Timestamp
        /// The last change in words, until the next page has shown them.
        fileprivate(set) var notice: String?
    }

    /// The sessions by the SHA-256 of their ids.
    private let sessions = Mutex<[String: Session]>([:])
    private let now: @Sendable () -> Timestamp

    init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    /// Begins a session, and returns its id, which its user's browser keeps.
    func begin(_ role: ConsoleRole) -> String {
        let (id, time) = (Base64URL.encode(RandomBytes.generate(32)), now())
        let session = Session(
            role: role, formKey: Base64URL.encode(RandomBytes.generate(32)), createdAt: time, usedAt: time)
        sessions.withLock { sessions in
            sessions = sessions.filter { !Self.isOver($0.value, at: time) }
            let others = sessions.filter { $0.value.role == role }
            if others.count >= Self.capacity, let oldest = others.min(by: { $0.value.usedAt < $1.value.usedAt }) {
                sessions[oldest.key] = nil
            }
            sessions[Self.digest(id)] = session
        }
        return id
    }

    /// Returns the session of an id; `nil` if there is none, or no longer.
    ///
    /// - Parameter isUse: `false` for requests that a page makes by itself, which do not keep a session alive.
    func session(_ id: String, isUse: Bool = true) -> Session? {
        let (digest, time) = (Self.digest(id), now())
        return sessions.withLock { sessions in
            guard let session = sessions[digest] else { return nil }
            guard !Self.isOver(session, at: time) else {
                sessions[digest] = nil
                return nil
            }
            if isUse { sessions[digest]?.usedAt = time }
            return session
        }
    }

    /// Keeps words about a change for the next page of a session.
    func leave(_ notice: String, for id: String) {
        let digest = Self.digest(id)
        sessions.withLock { sessions in
            guard sessions[digest] != nil else { return }
            sessions[digest]?.notice = notice
        }
    }

    /// Returns the words about a change that no page has shown yet, and forgets them.
    func takeNotice(for id: String) -> String? {
        let digest = Self.digest(id)
        return sessions.withLock { sessions in
            let notice = sessions[digest]?.notice
            if notice != nil { sessions[digest]?.notice = nil }
            return notice
        }
    }

    /// Ends the session of an id, if there is one.
    func end(_ id: String) { sessions.withLock { $0[Self.digest(id)] = nil } }

    private static func isOver(_ session: Session, at time: Timestamp) -> Bool {
        time > session.usedAt.adding(idle) || time > session.createdAt.adding(longest)
    }

    private static func digest(_ id: String) -> String { SHA256.hexadecimal(of: id) }
}
