import DocumentStore
import Foundation
import Functions
import JSON
import Messaging
import Server

/// The pages of messages: the list with its filters, one message with its notifications, and the form for a test.
struct MessagesPages {
    private static let pageSize = 50

    /// The states to select messages by.
    private enum State: String, CaseIterable {
        case all, waiting, rejected, accepted

        func includes(_ record: DeliveryRecord) -> Bool {
            switch self {
            case .all: true
            case .waiting: record.pending > 0
            case .rejected: !record.rejected.isEmpty
            case .accepted: record.accepted == record.targets
            }
        }
    }

    let services: ConsoleServices
    let visit: ConsoleVisit

    // MARK: The list

    func list() async throws -> ConsolePage {
        let filter = Filter(
            state: visit.parameter("state").flatMap(State.init) ?? .all, source: visit.parameter("source"))
        let before = visit.parameter("before").flatMap { Timestamp($0) }
        let after = visit.parameter("after").flatMap { Timestamp($0) }
        let isNewest = before == nil && after == nil
        let page =
            if let after {
                try await services.history.page(
                    after: after, limit: Self.pageSize, source: filter.source, where: filter.state.includes)
            } else {
                try await services.history.page(
                    before: before ?? .distantFuture, limit: Self.pageSize, source: filter.source,
                    where: filter.state.includes)
            }
        let records: [DeliveryRecord] = after == nil ? page.records : page.records.reversed()
        let later = isNewest ? try await scheduled() : nil
        let content: HTML =
            records.isEmpty
            ? empty(filter, isAtEnd: page.next == nil)
            : """
            <table class="stack"><thead><tr><th>Accepted</th><th>Message</th><th>Recipient</th><th>App</th>\
            <th>System</th><th>Outcome</th></tr></thead>
            <tbody>
            \(records.map(row))
            </tbody></table>
            """
        return ConsolePage(
            section: .messages, title: "Messages", isLive: isNewest,
            content: """
                <h1>Messages</h1>
                \(visit.mayChange ? testForm(to: visit.entered("to") ?? visit.parameter("to")) : "")
                \(later)
                \(filters(filter))
                \(content)
                \(pageLinks(filter, records, before: before, after: after, next: page.next))
                """)
    }

    private static let retention = "They are kept for a while after their outcomes are known (messages.retention)."

    /// Returns the text for a page without messages.
    private func empty(_ filter: Filter, isAtEnd: Bool) -> HTML {
        guard isAtEnd else { return "<p>None among these; continue the search.</p>" }
        guard filter.state == .all, filter.source == nil else {
            return "<p>No such messages. \(Self.retention)</p>"
        }
        return ConsoleText.empty(
            "No messages. \(Self.retention)", command: services.servers == nil ? nil : FirstCommands.trigger)
    }

    /// The choice of messages.
    private struct Filter {
        let state: State
        let source: String?

        func link(_ more: (String, String?)...) -> String {
            ConsoleText.link(
                "/console/messages", [("state", state == .all ? nil : state.rawValue), ("source", source)] + more)
        }
    }

    /// Returns links to the other choices, each of which is one click.
    private func filters(_ filter: Filter) -> HTML {
        let states: [(String, String, Bool)] = State.allCases.map { state in
            (state.rawValue, Filter(state: state, source: filter.source).link(), state == filter.state)
        }
        var sources = [("all", Filter(state: filter.state, source: nil).link(), filter.source == nil)]
        for source in services.sources {
            sources.append((source, Filter(state: filter.state, source: source).link(), source == filter.source))
        }
        return "\(ConsoleText.choice("State", states))\(ConsoleText.choice("System", sources))"
    }

    /// Returns links to newer and older messages.
    ///
    /// - Parameter next: The time beyond which the search of this page may find more; `nil` if there are none.
    private func pageLinks(
        _ filter: Filter, _ records: [DeliveryRecord], before: Timestamp?, after: Timestamp?, next: Timestamp?
    ) -> HTML {
        let isShort = records.count < Self.pageSize
        var newer: HTML?
        var older: HTML?
        if let after {
            let newest = next ?? records.first?.acceptedAt ?? after
            let oldest = records.last?.acceptedAt ?? after.adding(.microseconds(1))
            let word = isShort ? "Continue the search in newer messages" : "Newer messages"
            newer =
                next == nil
                ? "<a href=\"\(filter.link())\">Newest messages</a>"
                : "<a href=\"\(filter.link(("after", newest.description)))\">\(word)</a>"
            older = "<a href=\"\(filter.link(("before", oldest.description)))\">Older messages</a>"
        } else {
            let word = isShort ? "Continue the search in older messages" : "Older messages"
            older = next.map { "<a href=\"\(filter.link(("before", $0.description)))\">\(word)</a>" }
            newer = before.map { before in
                let newest = records.first?.acceptedAt ?? before.adding(.microseconds(-1))
                return "<a href=\"\(filter.link(("after", newest.description)))\">Newer messages</a>"
            }
        }
        guard newer != nil || older != nil else { return "" }
        return "<nav class=\"pages\" aria-label=\"Pages\">\(newer)\(older)</nav>"
    }

    private func row(_ record: DeliveryRecord) -> HTML {
        let alert = record.message.notification
        let title = alert?.title ?? alert?.body?.shortened ?? "(data only)"
        let body = alert?.title == nil ? nil : alert?.body?.shortened
        let text: HTML? = body.map { "<p class=\"text\">\($0)</p>" }
        let others = record.targets - 1
        let recipient: HTML? = record.first.map { first in
            "\(device(first.registration))\(others > 0 ? " and \(others) more" : "")"
        }
        let app = record.first.map { $0.lane.app.bundleID ?? $0.lane.transport.rawValue }
        return """
            <tr><td>\(ConsoleText.time(record.acceptedAt))</td>
            <td><a href="/console/messages/\(record.id)">\(title)</a>\(text)</td>
            <td>\(recipient)</td><td class="app">\(app.map(ConsoleText.identifier))</td>
            <td class="word">\(record.source)</td><td>\(Self.outcome(record))</td></tr>

            """
    }

    private static func outcome(_ record: DeliveryRecord) -> HTML {
        var parts: [HTML] = []
        let rejected = record.rejected.values.reduce(0, +)
        if record.accepted > 0 { parts.append(ConsoleText.mark("ok", "\(record.accepted) accepted")) }
        if record.pending > 0 { parts.append(ConsoleText.mark("warn", "\(record.pending) waiting")) }
        if record.superseded > 0 { parts.append(ConsoleText.mark("ok", "\(record.superseded) superseded")) }
        if rejected > 0 { parts.append(ConsoleText.mark("bad", "\(rejected) rejected")) }
        return parts.isEmpty ? "no devices" : "\(parts.map { "\($0) " as HTML })"
    }

    // MARK: Sending

    private func testForm(to: String?) -> HTML {
        """
        <details class="card"\(to == nil ? "" : " open" as HTML)><summary>Send a test</summary>
        <form method="post" action="/console/messages">
        \(ConsolePage.key(visit.session))
        <label for="to">To</label>
        <input id="to" name="to" value="\(to ?? "")" required autocomplete="off" aria-describedby="to-hint">
        <p class="hint" id="to-hint">The path of a registration, as <a href="/console/devices">Devices</a> lists them, \
        or a token: of a device, of FCM, of a browser (webpush:…), or of the inbox (emulated:…).</p>
        <label for="title">Title</label> <input id="title" name="title" maxlength="200" \
        value="\(visit.entered("title") ?? "Pushgate")">
        <label for="text">Text</label> <input id="text" name="body" maxlength="1000" \
        value="\(visit.entered("body") ?? "A test of this gateway.")">
        \(environmentField)
        <button>Send</button>
        </form></details>
        """
    }

    /// The choice among the environments that push services have.
    private var environmentField: HTML {
        let names = services.sender.environments
        guard !names.isEmpty else { return "" }
        let chosen = visit.entered("environment")
        return """
            <label for="environment">Environment, of a device token</label>
            <select id="environment" name="environment"><option value="">not known</option>\
            \(names.map { "<option\($0 == chosen ? " selected" as HTML : "")>\($0)</option>" as HTML })</select>
            """
    }

    func send() async throws -> ConsoleAnswer {
        let form = try visit.form()
        func value(_ name: String) -> String? { form[name].flatMap { $0.isEmpty ? nil : $0 } }
        let to = (value("to") ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard !to.isEmpty else { throw APIError.invalidArgument("“To” is empty: give a registration or a token") }
        let message = DirectMessage(
            to: to, title: value("title"), body: value("body"),
            app: AppIdentity(environment: value("environment")))
        return .see("/console/messages/\(try await services.sender.send(message))", done: "The test is on its way.")
    }

    /// Sends a message again to the registrations of a page of its notifications.
    func sendAgain(_ id: String) async throws -> ConsoleAnswer {
        _ = try visit.form()
        let record = try await record(id)
        let again = try await services.sender.send(
            record.message, againTo: record.notifications.compactMap(\.registration))
        guard let again else {
            throw APIError.invalidArgument("none of the registrations of this message exists any more")
        }
        return .see("/console/messages/\(again)", done: "It is sent again, as the message on this page.")
    }

    // MARK: One message

    func one(_ id: String) async throws -> ConsolePage {
        let record = try await record(id)
        let notification = record.message.notification
        let next: HTML? = record.nextPage.map {
            "<p><a href=\"/console/messages/\(record.id)?page=\($0)\">More notifications</a></p>"
        }
        let again: HTML? =
            visit.mayChange && record.notifications.contains { $0.registration != nil }
            ? """
            <form method="post" action="/console/messages/\(record.id)/again?page=\(visit.parameter("page") ?? "0")">
            \(ConsolePage.key(visit.session))
            <button class="quiet" data-confirm="Send this message again, to the devices listed here?">Send again</button>
            </form>
            """ : nil
        let (held, now) = (services.dispatcher.heldApps, Timestamp.now)
        return ConsolePage(
            section: .messages, title: notification?.title ?? "Message", isLive: record.pending > 0,
            content: """
                <p class="back"><a href="/console/messages">Messages</a></p>
                <h1>\(notification?.title ?? "Message")</h1>
                \(notification?.body.map { "<p class=\"lead\">\($0)</p>" as HTML })
                <p>\(Self.outcome(record))</p>
                <dl class="facts">
                <dt>Id</dt><dd><code>\(record.id)</code></dd>
                <dt>System</dt><dd>\(record.source)</dd>
                <dt>Accepted</dt><dd>\(ConsoleText.time(record.acceptedAt))</dd>
                <dt>Given up</dt><dd>\(ConsoleText.time(record.expiresAt)), if it is not delivered before</dd>
                \(record.receipts.map(Self.receipts))
                </dl>
                \(content(of: record))
                <h2>\(ConsoleText.count(record.targets, "notification", "notifications"))</h2>
                <ol class="steps">
                \(record.notifications.map { self.notification($0, held, at: now) })
                </ol>
                \(next)
                \(again)
                """)
    }

    /// Returns the fact that devices have reported the message.
    private static func receipts(_ counts: ReceiptCounts) -> HTML {
        let opened = counts.opened > 0 ? ", opened on \(counts.opened)" : ""
        return """
            <dt>Receipts</dt><dd>arrived on \(ConsoleText.count(counts.delivered, "device", "devices"))\(opened), \
            as apps report it</dd>

            """
    }

    private func content(of record: DeliveryRecord) -> HTML {
        guard visit.seesSecrets || !services.secrets.mayBe(in: record) else {
            return "<p class=\"detail\">Only the admin token shows the content.</p>"
        }
        return "<details><summary>Content</summary><pre>\(record.message.redactedJSON.prettyText)</pre></details>"
    }

    private func record(_ id: String) async throws -> DeliveryRecord {
        let page = visit.parameter("page").flatMap { Int($0) } ?? 0
        guard page >= 0, let record = try await services.history.delivery(of: id, page: page) else {
            throw APIError.notFound("there is no message \(id); settled messages are removed after messages.retention")
        }
        return record
    }

    private var explanations: Explanations { services.explanations }

    /// Returns the device of a notification, without its id if the user may not see it.
    private func device(_ registration: DocumentPath?) -> HTML {
        guard let registration else { return "a bare token" }
        guard visit.seesSecrets || !services.secrets.contains(registration) else { return "a device" }
        return "<a href=\"\(ConsoleText.link(toDevice: registration))\">\(registration.id)</a>"
    }

    private func notification(_ record: NotificationRecord, _ held: [HeldApp], at now: Timestamp) -> HTML {
        let failures = record.failures.map { failure -> HTML in
            """
            <li>\(ConsoleText.mark("warn", "failed")) \(ConsoleText.time(failure.at)) <strong>\(failure.reason)</strong>
            <p class="detail">\(explanations.failure(failure.code, reason: failure.reason, by: record.lane.transport))</p></li>

            """
        }
        return """
            <li><p><strong>\(device(record.registration))</strong> <span class="detail">\(record.lane.description), apns-id \
            <code>\(record.id.description)</code></span></p>
            <ul>\(failures)<li>\(state(record, held))
            <p class="detail">\(explanations.meaning(of: record, heldUp: held, at: now))</p></li></ul></li>

            """
    }

    private func state(_ record: NotificationRecord, _ held: [HeldApp]) -> HTML {
        switch record.state {
        case .pending:
            held.contains { $0.holds(record.lane) }
                ? "\(ConsoleText.mark("bad", "held up"))" : "\(ConsoleText.mark("warn", "waiting"))"
        case .accepted: "\(ConsoleText.mark("ok", "accepted")) \(record.settledAt.map(ConsoleText.time))"
        case .superseded: "\(ConsoleText.mark("ok", "superseded")) \(record.settledAt.map(ConsoleText.time))"
        case .rejected(_, let reason):
            "\(ConsoleText.mark("bad", "rejected")) \(record.settledAt.map(ConsoleText.time)) <strong>\(reason)</strong>"
        }
    }
}

extension String {
    /// The beginning of a text, for a list.
    fileprivate var shortened: String { count > 160 ? String(prefix(160)) + "…" : self }
}
