import DocumentStore
import Foundation
import Functions
import Messaging
import Server

/// The pages of topics: the list, and one topic with its members and a form to send to them.
extension DevicesPages {
    /// The subscriptions of a topic that are counted.
    private static let maximumCount = 1_000
    private static let topicPath = "/console/devices/topic"

    // MARK: The list

    func topics() async throws -> ConsolePage {
        let after = visit.parameter("after")
        let topics = try await services.store.listing(
            of: try CollectionPath("topics"), after: after, limit: Self.pageSize, projection: [])
        var rows: [HTML] = []
        for topic in topics {
            let members = try await memberCount(of: try topic.path.collection("subscriptions"))
            rows.append(
                """
                <tr><td><a href="\(Self.link(to: topic.path.id))">\(topic.path.id)</a></td>
                <td class="number">\(members)</td></tr>

                """)
        }
        let next: HTML? =
            topics.count == Self.pageSize
            ? topics.last.map {
                "<p><a href=\"\(ConsoleText.link("/console/devices/topics", [("after", $0.path.id)]))\">More</a></p>"
            } : nil
        let content: HTML =
            rows.isEmpty
            ? "<p>No registration is subscribed to a topic.</p>"
            : """
            <table><thead><tr><th>Topic</th><th class="number">Members</th></tr></thead><tbody>\(rows)</tbody></table>
            """
        return ConsolePage(
            section: .devices, title: "Topics",
            content: """
                <h1>Devices</h1>
                \(tabs("topics"))
                \(content)
                \(next)
                """)
    }

    private static func link(to topic: String, after member: String? = nil) -> String {
        ConsoleText.link(topicPath, [("name", topic), ("after", member)])
    }

    private func memberCount(of members: CollectionPath) async throws -> String {
        let count = try await services.store.count(Query.collection(members).limited(to: Self.maximumCount))
        return count < Self.maximumCount ? "\(count)" : "\(ConsoleText.number(count)) or more"
    }

    // MARK: One topic

    /// The name of the topic in the address, or in the form that was refused.
    private var topicName: String {
        get throws {
            guard let name = TopicName.canonical(visit.entered("name") ?? visit.parameter("name") ?? "") else {
                throw APIError.notFound("there is no topic of this name")
            }
            return name
        }
    }

    func topic() async throws -> ConsolePage {
        let name = try topicName
        let members = try CollectionPath("topics").document(name).collection("subscriptions")
        var query = Query.collection(members).ordered(by: .documentName).limited(to: Self.pageSize)
        if let after = visit.parameter("after") {
            query.start = Cursor(
                [.reference(try members.document(after).name(in: services.store.database))], isAfter: true)
        }
        let documents = try await services.store.documents(matching: query)
        let registrations = try CollectionPath("registrations")
        let rows = try documents.map { member -> HTML in
            let registration = ConsoleText.link(toDevice: try registrations.document(member.path.id))
            return """
                <tr><td><a href="\(registration)">\(member.path.id)</a></td>
                <td>\(ConsoleText.time(member["createdAt"]?.timestamp ?? member.createTime))</td></tr>

                """
        }
        let next: HTML? =
            documents.count == Self.pageSize
            ? documents.last.map { "<p><a href=\"\(Self.link(to: name, after: $0.path.id))\">More</a></p>" } : nil
        let table: HTML =
            rows.isEmpty
            ? "<p>It has no members.</p>"
            : """
            <table class="stack"><thead><tr><th>Registration</th><th>Member since</th></tr></thead><tbody>
            \(rows)</tbody></table>
            """
        return ConsolePage(
            section: .devices, title: name,
            content: """
                <p class="back"><a href="/console/devices/topics">Topics</a></p>
                <h1>\(name)</h1>
                <p>Members: \(try await memberCount(of: members))</p>
                \(visit.mayChange ? topicForm(name) : "")
                \(table)
                \(next)
                """)
    }

    private func topicForm(_ name: String) -> HTML {
        """
        <details class="card"\(visit.isRefused ? " open" as HTML : "")><summary>Send to all members</summary>
        <form method="post" action="\(Self.topicPath)">\(ConsolePage.key(visit.session))
        <input type="hidden" name="name" value="\(name)">
        <label for="title">Title</label>
        <input id="title" name="title" maxlength="200" value="\(visit.entered("title") ?? "")">
        <label for="text">Text</label>
        <input id="text" name="body" maxlength="1000" value="\(visit.entered("body") ?? "")">
        <button data-confirm="Send this to all members of \(name)?">Send</button>
        </form></details>
        """
    }

    /// Sends a message to all members of a topic.
    func sendToTopic() async throws -> ConsoleAnswer {
        let form = try visit.form()
        func value(_ name: String) -> String? { form[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard let name = TopicName.canonical(form["name"] ?? "") else {
            throw APIError.invalidArgument("the form names no topic")
        }
        let content = try DirectSender.content(title: value("title"), body: value("body"))
        let draft = Draft(
            message: content, lifetime: DirectSender.lifetime, source: DirectSender.source,
            registrationFields: RegistrationResolver.registrationFields)
        let condition: Condition
        do throws(ConditionError) {
            condition = try Condition(topic: name)
        } catch {
            throw APIError.invalidArgument("\(error)")
        }
        let id = try await services.broadcaster.accept(draft, to: condition)
        return .see("/console/messages/\(id)", done: "The message to \(name) is on its way.")
    }
}
