import DocumentStore
package import Messaging
import Synchronization

/// The scripted answers of the emulated push service, for tests of code that handles errors.
package final class EmulatorScripts: Sendable {
    /// One scripted answer.
    package struct Script: Hashable, Sendable {
        /// The token that the script applies to; `nil` for all.
        package let token: RegistrationToken?
        /// The error to answer with; `nil` to accept the notification.
        package let error: MessagingErrorCode?
        /// The number of uses that remain; `nil` for no limit until the scripts are reset.
        package fileprivate(set) var times: Int?
        /// The wait before the answer.
        package let delay: Duration

        /// Accepts all notifications without delay, unless arguments say otherwise.
        package init(
            token: RegistrationToken? = nil, error: MessagingErrorCode? = nil, times: Int? = nil,
            delay: Duration = .zero
        ) {
            self.token = token
            self.error = error
            self.times = times
            self.delay = delay
        }

        /// Returns the outcome of a notification; `nil` if it is accepted.
        func outcome(at time: Timestamp) -> Outcome? {
            guard let error else { return nil }
            switch error {
            case .registrationTokenNotRegistered:
                return .rejected(Rejection(code: error, reason: "Scripted", invalidation: .unregistered(since: time)))
            case .invalidRegistrationToken, .invalidArgument, .mismatchedCredential:
                return .rejected(Rejection(code: error, reason: "Scripted"))
            default:
                return .failed(Failure(code: error, reason: "Scripted"))
            }
        }
    }

    private let scripts = Mutex<[Script]>([])

    package init() {}

    /// The scripts in the order in which they were added.
    package var all: [Script] { scripts.withLock { $0 } }

    package func add(_ script: Script) {
        scripts.withLock { $0.append(script) }
    }

    /// Removes all scripts.
    package func reset() {
        scripts.withLock { $0 = [] }
    }

    /// Takes one use of the script that applies to a message as it is accepted. Scripts for all tokens do not apply
    /// to the message again when it is sent.
    ///
    /// - Parameter tokens: the names of its single recipient; empty for a message to a topic.
    package func take(forMessageTo tokens: [RegistrationToken]) -> Script? {
        take { script in script.token.map(tokens.contains) ?? true }
    }

    /// Takes one use of the script that applies to a notification as it is sent. For a message through FCM's API the
    /// first check covers every recipient except the subscribers of a topic; for those only scripts for their own
    /// tokens apply.
    func take(for notification: OutgoingNotification, of message: OutgoingMessage) -> Script? {
        guard message.identity == nil || message.condition != nil else { return nil }
        return take { script in
            script.token.map { $0 == notification.target.address.token } ?? (message.identity == nil)
        }
    }

    /// Takes one use of the first script that applies. Scripts for a token precede scripts for all tokens.
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
