package import DocumentStore
package import Messaging

/// The reasons for which notifications wait.
extension Explanations {
    /// Returns the meaning of a notification's state: what happened, or why it waits.
    ///
    /// - Parameters:
    ///   - apps: The apps that are held up.
    ///   - now: The present time.
    package func meaning(of record: NotificationRecord, heldUp apps: [HeldApp], at now: Timestamp) -> String {
        switch record.state {
        case .accepted: acceptance(by: record.lane.transport)
        case .superseded: Self.superseded
        case .rejected(let code, let reason): failure(code, reason: reason, by: record.lane.transport)
        case .pending(let dueAt): waiting(record, apps.first { $0.holds(record.lane) }, dueAt: dueAt, at: now)
        }
    }

    private func waiting(
        _ record: NotificationRecord, _ app: HeldApp?, dueAt: Timestamp, at now: Timestamp
    ) -> String {
        if let app {
            return "It waits because \(app.name) is held up since \(app.since.text) (\(app.failure.reason)): "
                + "\(meaning(of: app)) \(Self.nextAttempt(app.nextAttempt, at: now))"
        }
        guard let last = record.failures.last else {
            return dueAt > now
                ? "It waits until \(dueAt.text)."
                : "It is being sent, or waits for its turn. If that lasts, the gateway that accepted it is slow or down."
        }
        let meaning = failure(last.code, reason: last.reason, by: record.lane.transport)
        return "It waits after a failed attempt at \(last.at.text) (\(last.reason)): \(meaning) "
            + Self.nextAttempt(dueAt, at: now)
    }

    /// Returns the reason for which an app is held up, and the remedy.
    func meaning(of app: HeldApp) -> String {
        failure(app.failure.code, reason: app.failure.reason, by: app.transport)
    }

    /// Returns a sentence for the operator about an app that is held up.
    ///
    /// - Parameters:
    ///   - name: The name by which the operator knows it.
    ///   - waiting: The number of its messages that wait; `nil` if it is not known.
    package func heldUp(_ app: HeldApp, name: String, waiting: WaitingMessages?) -> String {
        let count = waiting.map { waiting in
            ", \(waiting.count)\(waiting.isExact ? "" : " or more") "
                + (waiting.count == 1 && waiting.isExact ? "message waits" : "messages wait")
        }
        return "\(name) is held up since \(app.since.text) (\(app.failure.reason))\(count ?? ""): \(meaning(of: app))"
    }

    private static func nextAttempt(_ time: Timestamp, at now: Timestamp) -> String {
        time > now ? "The next attempt is at \(time.text)." : "The next attempt is due now."
    }
}

extension HeldApp {
    /// Returns the name by which the operator knows the app: that of the senders whose lanes are held up, or its own.
    package func shownName(among senders: [PushSender]) -> String {
        let names = senders.filter { $0.lane.map(resolvedLanes.contains) ?? false }.map(\.name)
        let distinct = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return distinct.isEmpty ? name : distinct.joined(separator: ", ")
    }
}
