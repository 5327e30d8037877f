import Functions
import Messaging
import Server

/// The messages that are to be sent later, above the list of messages.
extension MessagesPages {
    private static let maximumScheduled = 50

    /// Returns the table of the messages that wait; `nil` if there are none.
    func scheduled() async throws -> HTML? {
        let waiting = try await services.sender.scheduled.waiting(limit: Self.maximumScheduled + 1)
        guard !waiting.isEmpty else { return nil }
        let messages = waiting.prefix(Self.maximumScheduled)
        let more: HTML? =
            waiting.count > messages.count
            ? "<p>The first \(messages.count) due; <code>pushgate deliveries --scheduled --limit 200</code> has more.</p>"
            : nil
        return """
            <h2>For later</h2>
            <table class="stack"><thead><tr><th>Due</th><th>Title</th><th>System</th>\
            \(visit.mayChange ? "<th></th>" as HTML : "")</tr></thead>
            <tbody>
            \(messages.map(scheduledRow))
            </tbody></table>
            \(more)
            """
    }

    private func scheduledRow(_ message: ScheduledMessage) -> HTML {
        let notification = message.draft.message.notification
        let title = notification?.title ?? notification?.body ?? "(data only)"
        let cell: HTML? = visit.mayChange ? "<td>\(cancelForm(message))</td>" : nil
        return """
            <tr><td>\(ConsoleText.time(message.deliverAt))</td><td>\(title)</td><td>\(message.draft.source)</td>\(cell)</tr>

            """
    }

    private func cancelForm(_ message: ScheduledMessage) -> HTML {
        """
        <form method="post" action="/console/messages/\(message.id)/cancel">
        \(ConsolePage.key(visit.session))
        <button class="quiet" data-confirm="Cancel this message? It will not be sent.">Cancel</button>
        </form>
        """
    }

    /// Cancels a message that is not due yet.
    func cancel(_ id: String) async throws -> ConsoleAnswer {
        _ = try visit.form()
        switch try await services.sender.scheduled.cancel(id) {
        case .cancelled: return .see("/console/messages", done: "The message is cancelled.")
        case .tooLate: throw APIError.invalidArgument("it was due before that, and was sent")
        case .unknown: throw APIError.notFound("there is no such message for later; it may have been cancelled before")
        }
    }
}
