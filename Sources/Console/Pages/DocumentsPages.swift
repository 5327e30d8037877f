import DocumentStore
import Foundation
import Functions
import HTTPTypes
import JSON
import Server

/// The pages of documents: the tree of collections, single documents, and the forms that change them.
struct DocumentsPages {
    private static let pageSize = 50
    /// The databases to choose from.
    private static let databasesShown = 200
    /// The databases that are links, each of which is one click. More are a choice in a form.
    private static let databasesAsLinks = 8
    /// The documents that a filtered page may skip.
    private static let maximumOffset = 10_000

    let services: ConsoleServices
    let visit: ConsoleVisit

    private var database: String {
        visit.entered("database") ?? visit.parameter("database") ?? ConsoleDocuments.own
    }
    private var documents: ConsoleDocuments {
        ConsoleDocuments(
            interface: services.documents, database: database, hidden: visit.seesSecrets ? nil : services.secrets)
    }
    /// The path of the page, without the slashes that people write around it.
    private var path: String {
        let path = visit.entered("shown") ?? visit.parameter("path") ?? ""
        return path.trimmingCharacters(in: CharacterSet(charactersIn: "/").union(.whitespacesAndNewlines))
    }

    // MARK: Reading

    func page() async throws -> ConsolePage {
        let segments = path.isEmpty ? [] : path.split(separator: "/", omittingEmptySubsequences: false)
        let content: HTML =
            path.isEmpty
            ? try await root : segments.count.isMultiple(of: 2) ? try await document : try await collection
        return ConsolePage(
            section: .documents, title: segments.last.map(String.init) ?? "Documents",
            content: """
                <h1>Documents</h1>
                \(try await databaseForm)
                \(goForm)
                \(trail(segments.map(String.init)))
                \(content)
                """)
    }

    /// The form that leads to a path.
    private var goForm: HTML {
        """
        <form class="filters" method="get" action="/console/documents">
        <input type="hidden" name="database" value="\(database)">
        <label>Path <input name="path" value="\(path)" placeholder="servers" autocomplete="off"></label>
        <button class="quiet">Go</button>
        </form>
        """
    }

    private var databaseForm: HTML {
        get async throws {
            let all = try await ConsoleDocuments.databases(services.documents)
            guard all.count > 1 || database != ConsoleDocuments.own else { return "" }
            var shown = Array(all.prefix(Self.databasesShown))
            if !shown.contains(database) { shown.append(database) }
            guard shown.count > Self.databasesAsLinks else {
                return ConsoleText.choice(
                    "Database",
                    shown.map { name in
                        (name, ConsoleText.link("/console/documents", [("database", name)]), name == database)
                    })
            }
            let options = shown.map { name -> HTML in
                "<option\(name == database ? " selected" as HTML : "")>\(name)</option>"
            }
            let note: HTML? =
                all.count > shown.count
                ? "<p class=\"hint\">The first of \(all.count); others by their name in the address.</p>" : nil
            return """
                <form class="filters" method="get" action="/console/documents">
                <label>Database <select name="database">\(options)</select></label>
                <button class="quiet">Show</button>
                </form>
                \(note)
                """
        }
    }

    /// Returns the path as links to each of its parts.
    private func trail(_ segments: [String]) -> HTML {
        guard !segments.isEmpty else { return "" }
        let links = segments.indices.map { index -> HTML in
            let path = segments[...index].joined(separator: "/")
            return index == segments.count - 1
                ? "<span aria-current=\"location\">\(segments[index])</span>"
                : "<a href=\"\(link(path))\">\(segments[index])</a><span aria-hidden=\"true\">/</span>"
        }
        return """
            <nav class="trail" aria-label="Path"><a href="\(link(""))">root</a><span aria-hidden="true">/</span>\(links)</nav>
            """
    }

    private func link(_ path: String, _ more: [(String, String?)] = []) -> String {
        ConsoleText.link(
            "/console/documents",
            [("database", database == ConsoleDocuments.own ? nil : database), ("path", path.isEmpty ? nil : path)]
                + more)
    }

    private var root: HTML {
        get async throws {
            let collections = try await documents.collections(below: "", after: visit.parameter("collections"))
            guard !collections.ids.isEmpty else {
                let command = database == ConsoleDocuments.own ? FirstCommands.document : nil
                return "\(ConsoleText.empty("There are no documents.", command: command))\(createForm(in: ""))"
            }
            let isOwn = database == ConsoleDocuments.own
            let own = collections.ids.filter { isOwn && OwnCollections.names.contains($0) }
            let others = collections.ids.filter { !own.contains($0) }
            let ownList: HTML? = own.isEmpty ? nil : "<h2>The gateway's own</h2>\(list(own))"
            let next: HTML? = collections.next.map(moreCollections)
            return "\(others.isEmpty ? "" : list(others))\(ownList)\(next)\(createForm(in: ""))"
        }
    }

    /// Returns links to collections.
    private func list(_ ids: [String]) -> HTML {
        let rows = ids.map { id -> HTML in
            "<li><a href=\"\(link(path.isEmpty ? id : "\(path)/\(id)"))\">\(id)</a></li>\n"
        }
        return "<ul class=\"list\">\n\(rows)</ul>"
    }

    private func moreCollections(after token: String) -> HTML {
        "<p><a href=\"\(link(path, [("collections", token)]))\">More collections</a></p>"
    }

    private var collection: HTML {
        get async throws {
            let filter = DocumentFilter(visit)
            let found: (documents: [JSONValue], next: HTML?)
            var problem: HTML?
            do {
                found = if let filter { try await selected(filter) } else { try await listed }
            } catch let error as APIError where filter != nil && isOfFilter(error) {
                found = ([], nil)
                problem = "<p class=\"problem\" role=\"alert\">\(error.message.capitalizedSentence)</p>"
            }
            let rows: HTML =
                if found.documents.isEmpty {
                    filter == nil ? "<p>There are no documents here.</p>" : "<p>No document matches.</p>"
                } else {
                    try await table(of: found.documents)
                }
            return """
                \(filterForm(filter))
                \(problem)
                \(rows)
                \(found.next)
                <p><a href="\(ConsoleText.link("/console/documents/export", [("database", database), ("path", path)]))" \
                download>Export as JSON lines</a>, with all that is below</p>
                \(createForm(in: path))
                """
        }
    }

    /// Returns `true` for an error that another condition corrects.
    private func isOfFilter(_ error: APIError) -> Bool {
        error.status == .badRequest || error.status == .forbidden && documents.shows(path)
    }

    /// The documents of a page in the order of their ids.
    private var listed: (documents: [JSONValue], next: HTML?) {
        get async throws {
            let page = try await documents.page(
                of: path, size: Self.pageSize, after: visit.parameter("after"), namesOnly: true)
            let next: HTML? = page["nextPageToken"]?.filledString.map {
                "<p><a href=\"\(link(path, [("after", $0)]))\">More documents</a></p>"
            }
            return (page["documents"]?.array ?? [], next)
        }
    }

    /// Returns a page of the documents that fulfill a condition.
    private func selected(_ filter: DocumentFilter) async throws -> (documents: [JSONValue], next: HTML?) {
        let first = visit.parameter("first").flatMap { Int($0) } ?? 0
        let offset = min(max(0, first), Self.maximumOffset)
        let found = try await documents.documents(
            of: path, where: filter, size: Self.pageSize + 1, offset: offset)
        guard found.count > Self.pageSize else { return (found, nil) }
        guard offset < Self.maximumOffset else {
            return (Array(found.prefix(Self.pageSize)), "<p class=\"hint\">There are more: narrow the filter.</p>")
        }
        let next = link(
            path,
            [
                ("field", filter.field), ("is", filter.comparison), ("value", filter.text),
                ("first", String(offset + Self.pageSize)),
            ])
        return (Array(found.prefix(Self.pageSize)), "<p><a href=\"\(next)\">More documents</a></p>")
    }

    private func table(of found: [JSONValue]) async throws -> HTML {
        let fields = try await documents.fields(of: found)
        let columns = DocumentFields.columns(for: fields)
        let shown = DocumentFields()
        let rows = zip(found, fields).map { document, fields -> HTML in
            let id = document["name"]?.string?.split(separator: "/").last.map(String.init) ?? "?"
            let isMissing = document["updateTime"] == nil
            let cells = columns.map { column -> HTML in
                guard let fields else { return "<td class=\"detail\">\(isMissing ? "" : "…")</td>" }
                let value = shown.short(fields[column])
                let name: HTML? = value == "" ? nil : "<span class=\"unit\">\(column)</span> "
                return "<td class=\"detail\">\(name)\(value)</td>"
            }
            let others = (fields?.count ?? 0) - columns.count { fields?[$0] != nil }
            let time: HTML =
                document["updateTime"]?.string.flatMap { Timestamp($0) }
                .map { "<span class=\"unit\">updated</span> \(ConsoleText.time($0))" as HTML }
                ?? "<span class=\"detail\">no document, but collections</span>"
            return """
                <tr><td><a href="\(link("\(path)/\(id)"))">\(id)</a></td>\(cells)\
                <td class="detail">\(others > 0 ? "and \(others) more" : "")</td><td>\(time)</td></tr>

                """
        }
        return """
            <div class="wide-table"><table class="stack"><thead><tr><th>Document</th>\
            \(columns.map { "<th>\($0)</th>" as HTML })<th>Others</th><th>Updated</th></tr></thead><tbody>
            \(rows)</tbody></table></div>
            """
    }

    /// Returns the form that selects documents by a field.
    private func filterForm(_ filter: DocumentFilter?) -> HTML {
        let options = DocumentFilter.choices(in: database).map { comparison -> HTML in
            let mark: HTML = comparison.id == filter?.comparison ? " selected" : ""
            return "<option value=\"\(comparison.id)\"\(mark)>\(comparison.word)</option>"
        }
        let all: HTML? = filter == nil ? nil : "<a href=\"\(link(path))\">All documents</a>"
        return """
            <details class="card"\(filter == nil ? "" : " open" as HTML)><summary>Filter by a field</summary>
            <form class="filters" method="get" action="/console/documents">
            <input type="hidden" name="database" value="\(database)"><input type="hidden" name="path" value="\(path)">
            <label>Field <input name="field" required value="\(filter?.field ?? "")" autocomplete="off"></label>
            <label class="unseen" for="is">Comparison</label> <select id="is" name="is">\(options)</select>
            <label>Value <input name="value" value="\(filter?.text ?? "")" autocomplete="off"></label>
            <button class="quiet">Filter</button> \(all)
            </form>
            <p class="hint">A number, true, false, null, a time such as 2026-01-31T12:00:00Z, or a text; a text in quotes \
            is never a number.</p></details>
            """
    }

    private var document: HTML {
        get async throws {
            let collections = try await documents.collections(below: path, after: visit.parameter("collections"))
            let next: HTML? = collections.next.map(moreCollections)
            let below: HTML = collections.ids.isEmpty ? "" : "<h2>Collections</h2>\(list(collections.ids))\(next)"
            let found: JSONValue
            do {
                found = try await documents.document(path)
            } catch let error as APIError where error.status == .notFound && !collections.ids.isEmpty {
                return "<p>There is no document of this name, but there are collections below it.</p>\(below)"
            }
            let fields = found["fields"] ?? [:]
            let times = ["createTime", "updateTime"].map { found[$0]?.string.flatMap { Timestamp($0) } }
            return """
                <dl class="facts"><dt>Created</dt><dd>\(times[0].map(ConsoleText.time))</dd>
                <dt>Updated</dt><dd>\(times[1].map(ConsoleText.time))</dd></dl>
                \(DocumentFields().tree(of: fields.object ?? [:]))
                <details><summary>As JSON</summary><pre tabindex="0" aria-label="JSON">\(fields.prettyText)</pre></details>
                \(below)
                <p><a href="\(ConsoleText.link("/console/documents/export", [("database", database), ("path", path)]))" \
                download>Export as JSON lines</a>, with all that is below</p>
                \(visit.mayChange ? editForms(fields, updateTime: found["updateTime"]?.string ?? "") : "")
                """
        }
    }

    // MARK: Forms

    private func hidden(_ action: String) -> HTML {
        """
        \(ConsolePage.key(visit.session))<input type="hidden" name="action" value="\(action)">\
        <input type="hidden" name="database" value="\(database)"><input type="hidden" name="shown" value="\(path)">
        """
    }

    private func editForms(_ fields: JSONValue, updateTime: String) -> HTML {
        // The time is that of the first attempt: a second one must not write over the changes of others either.
        let entered = visit.entered("fields", action: "patch")
        let hidden = fields.object?.members.filter { $0.value.isRedacted }.map(\.name) ?? []
        let note: HTML? =
            hidden.isEmpty
            ? nil
            : "Not here, and kept as they are: \(hidden.joined(separator: ", ")), which are shown as fingerprints."
        return """
            <details class="card"\(entered == nil ? "" : " open" as HTML)><summary>Change fields</summary>
            <form method="post" action="/console/documents">
            \(self.hidden("patch"))
            <input type="hidden" name="path" value="\(path)">
            <input type="hidden" name="updateTime" value="\(visit.entered("updateTime", action: "patch") ?? updateTime)">
            <label for="fields">Fields, in Firestore's JSON or in plain JSON</label>
            <textarea id="fields" name="fields" rows="12" spellcheck="false" required aria-describedby="fields-hint">\
            \(entered ?? fields.withoutRedacted.prettyText)</textarea>
            <p class="hint" id="fields-hint">Only what you change is written, and only if nobody has changed the document \
            meanwhile. A field that you remove here is removed. \(note)</p>
            <button>Write</button>
            </form></details>
            <form method="post" action="/console/documents">
            \(self.hidden("delete"))
            <input type="hidden" name="path" value="\(path)">
            <input type="hidden" name="updateTime" value="\(updateTime)">
            <button class="danger" data-confirm="Delete \(path)? Documents below it stay.">Delete this document</button>
            </form>
            """
    }

    private func createForm(in collection: String) -> HTML {
        guard visit.mayChange else { return "" }
        let entered = visit.entered("path", action: "create")
        let fields = visit.entered("fields", action: "create") ?? #"{"name": "…"}"#
        return """
            <details class="card"\(entered == nil ? "" : " open" as HTML)><summary>Create a document</summary>
            <form method="post" action="/console/documents">
            \(hidden("create"))
            <label for="path">Path</label>
            <input id="path" name="path" value="\(entered ?? (collection.isEmpty ? "" : collection + "/"))" required \
            autocomplete="off">
            <label for="new-fields">Fields, in plain JSON or in Firestore's</label>
            <textarea id="new-fields" name="fields" rows="6" spellcheck="false" required>\
            \(fields)</textarea>
            <button>Create</button>
            </form></details>
            """
    }

    // MARK: Export

    /// Returns the documents at and below the path as lines of JSON.
    func export() async throws -> ConsoleAnswer { try await DocumentExport(documents: documents, path: path).answer() }
}
