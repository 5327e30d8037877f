import DocumentStore
import Foundation
import Functions
import Server

/// The page of the keys that clients have: service accounts of Firebase's clients, and keys of coding sessions.
struct KeysPage {
    let services: ConsoleServices
    let visit: ConsoleVisit

    func page() async throws -> ConsolePage {
        ConsolePage(
            section: .keys, title: "Keys",
            content: """
                <h1>Keys</h1>
                <h2>Service accounts</h2>
                <p>For clients of FCM and Firestore; <code>pushgate init</code> makes them.</p>
                \(try accounts)
                <h2>Keys of coding sessions</h2>
                \(try await sessionKeys)
                """)
    }

    private var accounts: HTML {
        get throws {
            let accounts = try services.gateway.accounts()
            let rows = accounts.accounts.map { account -> HTML in
                """
                <tr><td><code>\(String(account.keyID.prefix(12)))…</code> <span class="detail">\(account.email)</span></td>
                <td>\(account.interfaces.joined(separator: ", "))</td>
                <td>\(account.createdAt.formatted(.iso8601))</td>
                <td class="actions">\(revoke("account", account.keyID, "Revoke this account? It gets no more access tokens."))</td></tr>

                """
            }
            let unreadable = accounts.unreadable
            let note: HTML? =
                unreadable > 0 ? "<p>\(unreadable) files of accounts cannot be read; the log has the reason.</p>" : nil
            return "\(table(rows, ["Account", "For", "Made"]))\(note)"
        }
    }

    private var sessionKeys: HTML {
        get async throws {
            guard let sessions = services.sessions else { return "<p>Coding sessions are not enabled.</p>" }
            let rows = try await sessions.listedKeys().map { key -> HTML in
                """
                <tr><td><strong>\(key.name)</strong> <code>\(key.prefix)…</code></td>
                <td>\(key.scopes.joined(separator: ", "))</td>
                <td>\(ConsoleText.time(key.createdAt)), \(key.lastUsedAt.map { "used \(ConsoleText.time($0))" as HTML } ?? "never used")</td>
                <td class="actions">\(revoke("session", key.id, "Revoke the key \(key.name)?"))</td></tr>

                """
            }
            return """
                <p>Besides those of the settings; <code>pushgate sessions keys create</code> makes them.</p>
                \(table(rows, ["Key", "For", "Made"]))
                """
        }
    }

    private func table(_ rows: [HTML], _ heads: [String]) -> HTML {
        guard !rows.isEmpty else { return "<p>There are none.</p>" }
        return """
            <table class="stack"><thead><tr>\(heads.map { "<th>\($0)</th>" as HTML })<th><span class="unseen">Actions</span></th>\
            </tr></thead><tbody>
            \(rows)</tbody></table>
            """
    }

    private func revoke(_ kind: String, _ id: String, _ question: String) -> HTML {
        guard visit.mayChange else { return "" }
        return """
            <form method="post" action="/console/keys">\(ConsolePage.key(visit.session))
            <input type="hidden" name="id" value="\(id)">
            <button class="quiet" name="kind" value="\(kind)" data-confirm="\(question)">Revoke</button></form>
            """
    }

    func change() async throws -> ConsoleAnswer {
        let form = try await visit.form()
        let id = form["id"] ?? ""
        let isDone =
            switch form["kind"] {
            case "account": try services.gateway.revokeAccount(keyID: id)
            case "session": try await services.sessions?.revokeKey(id) ?? false
            default: throw APIError.invalidArgument("the form has no known kind of key")
            }
        guard isDone else { throw APIError.notFound("there is no such key; perhaps it has just been revoked") }
        return .see("/console/keys")
    }
}
