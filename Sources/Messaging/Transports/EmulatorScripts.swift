internal import DocumentStore
import Synchronization

/// What the emulated push service is told to answer, so that code which handles errors can be tried out.
public final class EmulatorScripts: Sendable {
    /// One instruction.
    public struct Script: Hashable, Sendable {
        /// Whom it is about; nil for everyone.
        public let token: RegistrationToken?
        /// What to answer with; nil to take the notification after all.
        public let error: MessagingErrorCode?
        /// How often it still applies; nil until the scripts are reset.
        public fileprivate(set) var times: Int?
        /// How long to wait before the answer.
        public let delay: Duration

        public init(
            token: RegistrationToken? = nil, error: MessagingErrorCode? = nil, times: Int? = nil,
            delay: Duration = .zero
        ) {
            self.token = token
            self.error = error
            self.times = times
            self.delay = delay
        }

        /// What a notification comes to; nil when it is taken.
        func outcome(at time: Timestamp) -> Outcome? {
            guard let error else { return nil }
            switch error {
            case .registrationTokenNotRegistered:
                return .rejected(Rejection(code: error, reason: "Scripted", death: .certain(since: time)))
            case .invalidRegistrationToken, .invalidArgument, .mismatchedCredential:
                return .rejected(Rejection(code: error, reason: "Scripted"))
            default:
                return .failed(Failure(code: error, reason: "Scripted"))
            }
        }
    }

    private let scripts = Mutex<[Script]>([])

    public init() {}

    /// In the order in which they were added.
    public var all: [Script] { scripts.withLock { $0 } }

    public func add(_ script: Script) {
        scripts.withLock { $0.append(script) }
    }

    public func reset() {
        scripts.withLock { $0 = [] }
    }

    /// The script that a message is answered by as it comes in, used once: nothing that is about everyone applies to it
    /// again on its way out.
    ///
    /// - Parameter tokens: what its one recipient goes by; empty for a message to a topic.
    public func take(forMessageTo tokens: [RegistrationToken]) -> Script? {
        take { script in script.token.map(tokens.contains) ?? true }
    }

    /// The script that a notification meets on its way out, used once. Of a message through FCM's interface only the
    /// subscribers of a topic are not known before, and then what is about their own tokens.
    func take(for notification: OutgoingNotification, of message: OutgoingMessage) -> Script? {
        guard message.identity == nil || message.condition != nil else { return nil }
        return take { script in
            script.token.map { $0 == notification.target.address.token } ?? (message.identity == nil)
        }
    }

    /// The first that applies; those about a token go before those about everyone.
    private func take(where applies: (Script) -> Bool) -> Script? {
        scripts.withLock { scripts in
            let own = scripts.firstIndex { $0.token != nil && applies($0) }
            guard let index = own ?? scripts.firstIndex(where: applies) else { return nil }
            let script = scripts[index]
            if let times = script.times {
                if times > 1 { scripts[index].times = times - 1 } else { scripts.remove(at: index) }
            }
            return script
        }
    }
}
