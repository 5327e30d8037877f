package import DocumentStore
import Logging

/// The operator's decision about a server.
package enum ServerAccess: String, CaseIterable, Sendable {
    /// It may use the functions, whatever the setting.
    case allowed
    /// It may not.
    case denied
}

/// A server, as the operator sees it.
package struct KnownServer: Sendable {
    /// The SHA-256 of its secret, in 64 hexadecimal digits.
    package let key: String
    /// The operator's decision; `nil` if there is none.
    package let access: ServerAccess?
    /// The operator's name for it.
    package let name: String?
    /// The time of its first registration; `nil` before that.
    package let createdAt: Timestamp?
    /// The time of its last registration or trigger.
    package let lastSeenAt: Timestamp?

    /// Returns `true` for a text in the form of a key.
    package static func isKey(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    fileprivate init(_ document: Document) {
        typealias Field = CodeAgentsDocuments.Field
        key = document.path.id
        access = document[Field.access]?.string.flatMap(ServerAccess.init)
        name = document[Field.name]?.string
        createdAt = document[Field.createdAt]?.timestamp
        lastSeenAt = document[Field.lastSeenAt]?.timestamp
    }
}

extension Document {
    /// `true` if a device has registered for the server. A document may also have the operator's decision alone.
    var isOfRegisteredServer: Bool {
        typealias Field = CodeAgentsDocuments.Field
        return self[Field.access] == nil || self[Field.createdAt] != nil || self[Field.lastSeenAt] != nil
    }
}

/// The list of servers, for the operator.
extension CodeAgents {
    /// The servers that may use the functions without a decision about them.
    package var admittedServers: AdmittedServers { settings.servers }

    /// Refuses a server that may not use the functions. Its document is read by each request anyway, except for
    /// devices that register again: of a denied server there are none.
    func checkAccess(of server: Document?) throws(CodeAgentsError) {
        switch server?[CodeAgentsDocuments.Field.access]?.string.flatMap(ServerAccess.init) {
        case .allowed: break
        case .denied: throw .serverNotAllowed
        case nil where settings.servers == .listed: throw .serverNotAllowed
        case nil: break
        }
    }

    /// Returns a page of the servers, by their keys.
    ///
    /// - Parameter key: the last key of the page before; `nil` for the first page.
    package func servers(after key: String?, limit: Int) async throws(StoreError) -> [KnownServer] {
        var query = Query.collection(try CollectionPath(CodeAgentsDocuments.servers)).limited(to: limit)
        if let key {
            let name = try CodeAgentsDocuments.server(key).name(in: store.database)
            query = query.ordered(by: .documentName)
            query.start = Cursor([.reference(name)], isAfter: true)
        }
        return try await store.documents(matching: query).map(KnownServer.init)
    }

    /// Records the operator's decision. The subscriptions of a denied server are removed.
    ///
    /// - Parameter name: the operator's name for the server; `nil` to keep an earlier one.
    /// - Returns: The number of removed subscriptions.
    package func setAccess(_ access: ServerAccess, of key: String, name: String?) async throws(StoreError) -> Int {
        let server = try CodeAgentsDocuments.server(key)
        var fields: Fields = [CodeAgentsDocuments.Field.access: .string(access.rawValue)]
        fields[CodeAgentsDocuments.Field.name] = name.map(Value.string)
        _ = try await store.commit([.merge(server, fields)])
        logger.notice(
            "the access of a server was changed", metadata: ["server": "\(key.prefix(8))", "access": "\(access)"])
        guard access == .denied else { return 0 }
        var removed = 0
        // A registration that was checked before the decision may still be committed; its trigger is refused.
        var agents = Query.collection(try server.collection(CodeAgentsDocuments.agents))
        agents.projection = []
        for agent in try await store.documents(matching: agents) {
            removed += try await removeDevices(of: agent.path)
        }
        return removed
    }

    private func removeDevices(of agent: DocumentPath) async throws(StoreError) -> Int {
        var devices = Query.collection(try agent.collection(CodeAgentsDocuments.devices)).limited(to: Self.batch)
        devices.projection = []
        var removed = 0
        while true {
            let page = try await store.documents(matching: devices)
            guard !page.isEmpty else { return removed }
            _ = try await store.commit(page.map { .delete($0.path) })
            removed += page.count
        }
    }
}
