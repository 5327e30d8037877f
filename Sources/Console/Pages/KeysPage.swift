import DocumentStore
import Foundation
import Functions
import Server

/// The page of the keys that clients have: service accounts of Firebase's clients, and the keys of systems.
struct KeysPage {
    /// The kind of service accounts in forms. A system's keys have the name of their list.
    private static let account = "account"
    private static let pageSize = 100

    let services: ConsoleServices
    let visit: ConsoleVisit

    func page() async throws -> ConsolePage {
        if let list = services.keys.first(where: { $0.id == visit.parameter("of") }) {
            return ConsolePage(
                section: .keys, title: "Keys",
                content: "<h1>Keys</h1>\n\(try await keys(of: list, after: visit.parameter("after")))")
        }
        return ConsolePage(
            section: .keys, title: "Keys",
            content: """
                <h1>Keys</h1>
                <h2>Service accounts</h2>
                <p>For clients of FCM and Firestore; <code>pushgate init</code> makes them.</p>
                \(try accounts)
                \(try await systemKeys)
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
                <td class="actions">\(revoke(Self.account, account.keyID, "Revoke this account? It gets no more access tokens."))</td></tr>

                """
            }
            let unreadable = accounts.unreadable
            let note: HTML? =
                unreadable > 0 ? "<p>\(unreadable) files of accounts cannot be read; the log has the reason.</p>" : nil
            return "\(table(rows, ["Account", "For", "Made"]))\(note)"
        }
    }

    private var systemKeys: [HTML] {
        get async throws {
            var parts: [HTML] = []
            for list in services.keys { parts.append(try await keys(of: list, after: nil)) }
            return parts
        }
    }

    private func keys(of list: KeyList, after place: String?) async throws -> HTML {
        let part = try await list.part(after: place, limit: Self.pageSize)
        let next: HTML? = part.next.map {
            "<p><a href=\"\(ConsoleText.link("/console/keys", [("of", list.id), ("after", $0)]))\">More</a></p>"
        }
        let rows = part.keys.map { key -> HTML in
            """
            <tr><td><strong>\(key.name)</strong> <code>\(key.prefix)…</code></td>
            <td>\(key.scopes.joined(separator: ", "))</td>
            <td>\(ConsoleText.time(key.createdAt)), \(key.lastUsedAt.map { "used \(ConsoleText.time($0))" as HTML } ?? "never used")</td>
            <td class="actions">\(revoke(list.id, key.id, "Revoke the key \(key.name)?"))</td></tr>

            """
        }
        return """
            <h2>Keys of \(list.system)</h2>
            <p>\(list.origin)</p>
            \(table(rows, ["Key", "For", "Made"]))
            \(next)
            \(form(of: list))

            """
    }

    private func form(of list: KeyList) -> HTML? {
        guard visit.mayChange, let making = list.making else { return nil }
        let isRefused = visit.entered("make") == list.id
        let (name, scope) = isRefused ? (visit.entered("name"), visit.entered("scope")) : (nil, nil)
        return """
            <details class="card"\(isRefused ? " open" as HTML : "")><summary>Make a key of \(list.system)</summary>
            <form method="post" action="/console/keys">\(ConsolePage.key(visit.session))
            <label for="name-\(list.id)">Name</label>
            <input id="name-\(list.id)" name="name" value="\(name ?? "")" required \
            maxlength="\(KeyMaking.longestName)" autocomplete="off">
            <label for="scope-\(list.id)">For</label>
            <input id="scope-\(list.id)" name="scope" value="\(scope ?? "")" required autocomplete="off" \
            aria-describedby="scope-hint-\(list.id)">
            <p class="hint" id="scope-hint-\(list.id)"><code>\(making.scopes)</code></p>
            <button name="make" value="\(list.id)">Make</button>
            </form></details>
            """
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
        let form = try visit.form()
        if let kind = form["make"] { return .page(try await make(kind, form)) }
        guard try await revoke(form["id"] ?? "", of: form["kind"]) else {
            throw APIError.notFound("there is no such key; perhaps it has just been revoked")
        }
        return .see("/console/keys", done: "The key is revoked.")
    }

    /// Makes a key, and returns the page that shows it: it cannot be shown again.
    private func make(_ kind: String, _ form: [String: String]) async throws -> ConsolePage {
        guard let list = services.keys.first(where: { $0.id == kind }), let making = list.making else {
            throw APIError.invalidArgument("the form has no known kind of key")
        }
        let fields = form.mapValues { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        let (name, scope) = (fields["name"] ?? "", fields["scope"] ?? "")
        guard (1...KeyMaking.longestName).contains(name.count) else {
            throw APIError.invalidArgument("a name has 1 to \(KeyMaking.longestName) characters")
        }
        do {
            let made = try await making.make(name, scope)
            return ConsolePage(
                section: .keys, title: "Keys",
                content: """
                    <h1>Keys</h1>
                    <div class="card">
                    <h2>The key \(made.key.name)</h2>
                    <p><code>\(made.value.text)</code></p>
                    <p>For \(made.key.scopes.joined(separator: ", ")). Copy it now: it cannot be shown again.</p>
                    </div>
                    <p><a href="/console/keys">All keys</a></p>
                    """)
        } catch let problem as KeyProblem {
            throw APIError.invalidArgument(problem.text)
        }
    }

    /// Revokes a key.
    ///
    /// - Parameter kind: ``account``, or the id of a list of keys.
    /// - Returns: `true` if there was such a key.
    private func revoke(_ id: String, of kind: String?) async throws -> Bool {
        if kind == Self.account { return try services.gateway.revokeAccount(keyID: id) }
        guard let list = services.keys.first(where: { $0.id == kind }) else {
            throw APIError.invalidArgument("the form has no known kind of key")
        }
        return try await list.revoke(id)
    }
}
