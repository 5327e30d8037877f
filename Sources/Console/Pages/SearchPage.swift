import DocumentStore
import Foundation
import Functions
import Messaging

/// The results of the search that each page of the console has: devices, topics, servers and messages whose id or name
/// begins with a text, and the newest messages that have it anywhere in their texts.
struct SearchPage {
    /// The results of one kind that are shown.
    private static let shown = 20
    /// The servers whose names are compared.
    private static let searchedServers = 1_000

    let services: ConsoleServices
    let visit: ConsoleVisit

    private var text: String {
        (visit.parameter("q") ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func page() async throws -> ConsolePage {
        let text = text
        guard !text.isEmpty else {
            return page("<p>Enter an id, the beginning of a name, or a word of a message.</p>")
        }
        let found = try await services.searches.run { try await results(text) }
        return page(found.isEmpty ? "<p>Nothing was found for “\(text)”.</p>" : "\(found)")
    }

    private func results(_ text: String) async throws -> [HTML] {
        [
            place(text), try await devices(text), try await topics(text), try await servers(text),
            try await messages(text), try await texts(text),
        ].compactMap(\.self)
    }

    private func page(_ content: HTML) -> ConsolePage {
        ConsolePage(
            section: .search, title: "Search", searched: text,
            content: """
                <h1>Search</h1>
                \(content)
                <p class="hint">Ids and names by their beginning, and the texts of the newest \
                \(ConsoleText.number(DeliveryHistory.searched)) messages.</p>
                """)
    }

    /// Returns a list of results; `nil` if there are none.
    private func list(_ title: String, _ rows: [HTML], more: HTML? = nil) -> HTML? {
        guard !rows.isEmpty || more != nil else { return nil }
        let items = rows.map { "<li>\($0)</li>\n" as HTML }
        let results: HTML? = rows.isEmpty ? nil : "<ul class=\"list results\">\n\(items)</ul>"
        return "<h2>\(title)</h2>\n\(results)\(more)\n"
    }

    /// Returns the link to a path of documents; `nil` if the text is none.
    private func place(_ text: String) -> HTML? {
        guard text.contains("/"), !text.contains("//"), !text.contains(" ") else { return nil }
        let path = text.split(separator: "/").joined(separator: "/")
        guard !path.isEmpty else { return nil }
        return list("Documents", ["<a href=\"\(ConsoleText.link(toDocument: path))\">\(path)</a>"])
    }

    private func devices(_ text: String) async throws -> HTML? {
        var rows: [HTML] = []
        var more: [HTML] = []
        for list in services.devices where visit.seesSecrets || !services.secrets.collections.contains(list.id) {
            let part = try await list.search(text, after: nil, limit: Self.shown)
            let devices = Array(part.documents.prefix(Self.shown))
            let agents = try await list.agents(of: devices.map(\.path))
            rows += devices.map { device -> HTML in
                let link = ConsoleText.link(toDevice: device.path)
                let agent = agents[device.path].map { ", \($0)" } ?? ""
                return "<a href=\"\(link)\">\(device.path.id)</a> <span class=\"detail\">\(list.title)\(agent)</span>"
            }
            if part.next != nil || devices.count < part.documents.count {
                let link = ConsoleText.link("/console/devices", [("of", list.id), ("q", text)])
                more.append("<p><a href=\"\(link)\">More of \(list.title)</a></p>\n")
            }
        }
        return list("Devices", rows, more: more.isEmpty ? nil : "\(more)")
    }

    private func topics(_ text: String) async throws -> HTML? {
        guard let first = try? CollectionPath("topics").document(text) else { return nil }
        // A topic has members below it, and need not have a document of its own.
        let others = try await services.store.listing(
            of: first.collection, after: text, limit: Self.shown, projection: [])
        let members = Query.collection(try first.collection("subscriptions")).limited(to: 1)
        let exact = try await services.store.count(members) > 0 ? [first] : []
        let topics = exact + others.map(\.path).filter { $0.id.utf8.starts(with: text.utf8) }
        return list(
            "Topics",
            topics.map { topic in
                "<a href=\"\(ConsoleText.link("/console/devices/topic", [("name", topic.id)]))\">\(topic.id)</a>"
            })
    }

    private func servers(_ text: String) async throws -> HTML? {
        guard let servers = services.servers else { return nil }
        let wanted = text.lowercased()
        let found = try await servers.servers(after: nil, limit: Self.searchedServers).filter { server in
            server.key.hasPrefix(wanted) || server.name?.lowercased().hasPrefix(wanted) == true
        }
        return list(
            "Servers",
            found.prefix(Self.shown).map { server in
                """
                <a href="\(ConsoleText.link(toDocument: "servers/\(server.key)"))">\(server.name ?? "a server")</a> \
                <code>\(String(server.key.prefix(16)))…</code>
                """
            })
    }

    private func messages(_ text: String) async throws -> HTML? {
        list("Messages by id", try await services.history.messages(beginningWith: text, limit: Self.shown).map(row))
    }

    private func texts(_ text: String) async throws -> HTML? {
        list("Messages by text", try await services.history.search(text, limit: Self.shown).map(row))
    }

    private func row(_ message: FoundMessage) -> HTML {
        let body = message.title == nil ? nil : message.body.map { String($0.prefix(160)) }
        let text: HTML? = body.map { "<p class=\"text\">\($0)</p>" }
        return """
            <a href="/console/messages/\(message.id)">\(message.title ?? message.body ?? "(data only)")</a> \
            <span class="detail">\(message.source), \(ConsoleText.time(message.acceptedAt))</span>\(text)
            """
    }
}
