import DocumentStore
import Foundation
import Functions
import Hummingbird
import NIOCore
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
                <p>For clients of FCM and Firestore; <code>pushgate init</code> makes them too.</p>
                \(try accounts)
                \(visit.mayChange ? accountForm : "")
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
                <td>\(ConsoleText.moment(account.createdAt))</td>
                <td class="actions">\(revoke(Self.account, account.keyID, "Revoke this account? It gets no more access tokens."))</td></tr>

                """
            }
            let unreadable = accounts.unreadable
            let note: HTML? =
                unreadable > 0 ? "<p>\(unreadable) files of accounts cannot be read; the log has the reason.</p>" : nil
            guard !rows.isEmpty else {
                return "\(ConsoleText.empty("There are none.", command: FirstCommands.account))\(note)"
            }
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

    // MARK: Making keys

    private var accountForm: HTML {
        """
        <details class="card"\(isOpen(Self.account) ? " open" as HTML : "")><summary>Make a service account</summary>
        <form method="post" action="/console/keys">\(ConsolePage.key(visit.session))
        <input type="hidden" name="kind" value="\(Self.account)">
        \(choice("For", services.gateway.accountInterfaces))
        <p class="hint">The file is downloaded, as Google's libraries read it. It holds a private key, which the gateway \
        does not keep.</p>
        <button name="action" value="make">Make</button>
        </form></details>
        """
    }

    private func form(of list: KeyList) -> HTML? {
        guard visit.mayChange, let making = list.making else { return nil }
        return """
            <details class="card"\(isOpen(list.id) ? " open" as HTML : "")><summary>Make a key of \(list.system)</summary>
            <form method="post" action="/console/keys">\(ConsolePage.key(visit.session))
            <input type="hidden" name="kind" value="\(list.id)">
            <label for="name-\(list.id)">Name</label>
            <input id="name-\(list.id)" name="name" value="\(isOpen(list.id) ? visit.entered("name") ?? "" : "")" \
            required maxlength="\(KeyMaking.longestName)" autocomplete="off">
            \(making.words.isEmpty ? scopeField(of: list, making) : choice("Rights", making.words))
            <button name="action" value="make">Make</button>
            </form></details>
            """
    }

    private func scopeField(of list: KeyList, _ making: KeyMaking) -> HTML {
        """
        <label for="scope-\(list.id)">For</label>
        <input id="scope-\(list.id)" name="scope" value="\(isOpen(list.id) ? visit.entered("scope") ?? "" : "")" \
        required autocomplete="off" aria-describedby="scope-hint-\(list.id)">
        <p class="hint" id="scope-hint-\(list.id)"><code>\(making.scopes)</code></p>
        """
    }

    private func isOpen(_ kind: String) -> Bool { visit.entered("kind", action: "make") == kind }

    /// Returns boxes for several words. Each has a name of its own: of values with one name a form has the last.
    private func choice(_ title: String, _ words: [String]) -> HTML {
        let boxes = words.map { word -> HTML in
            let mark: HTML = visit.entered("for-\(word)", action: "make") != nil || words.count == 1 ? " checked" : ""
            return """
                <label class="option"><input type="checkbox" name="for-\(word)" value="1"\(mark)> \(word)</label>

                """
        }
        return "<fieldset><legend>\(title)</legend>\n\(boxes)</fieldset>"
    }

    private func make(_ form: [String: String]) async throws -> ConsoleAnswer {
        func chosen(_ words: [String]) -> [String] { words.filter { form["for-\($0)"] != nil } }
        if form["kind"] == Self.account {
            let interfaces = chosen(services.gateway.accountInterfaces)
            guard !interfaces.isEmpty else {
                throw APIError.invalidArgument("choose what the service account is for")
            }
            let file = try services.gateway.makeAccount(for: interfaces, origin: visit.origin)
            return .file(
                type: "application/json", name: "service-account.json",
                ResponseBody(byteBuffer: ByteBuffer(string: file)))
        }
        guard let list = services.keys.first(where: { $0.id == form["kind"] }), let making = list.making else {
            throw APIError.invalidArgument("the form has no known kind of key")
        }
        let fields = form.mapValues { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        let name = fields["name"] ?? ""
        guard (1...KeyMaking.longestName).contains(name.count) else {
            throw APIError.invalidArgument("a name has 1 to \(KeyMaking.longestName) characters")
        }
        let scope = making.words.isEmpty ? fields["scope"] ?? "" : chosen(making.words).joined(separator: ",")
        do {
            return .page(Self.page(of: try await making.make(name, scope)))
        } catch let problem as KeyProblem {
            throw APIError.invalidArgument(problem.text)
        }
    }

    /// Returns the page that shows a new key: it cannot be shown again.
    private static func page(of made: MadeKey) -> ConsolePage {
        ConsolePage(
            section: .keys, title: "Keys",
            content: """
                <h1>Keys</h1>
                <div class="card">
                <h2>The key “\(made.key.name)”</h2>
                \(ConsoleText.copyable(made.value.text))
                <p>For \(made.key.scopes.joined(separator: ", ")).</p>
                <p class="hint">Copy it now: it cannot be shown again.</p>
                </div>
                <p><a href="/console/keys">All keys</a></p>
                """)
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
        if form["action"] == "make" { return try await make(form) }
        guard try await revoke(form["id"] ?? "", of: form["kind"]) else {
            throw APIError.notFound("there is no such key; perhaps it has just been revoked")
        }
        return .see("/console/keys", done: "The key is revoked.")
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
