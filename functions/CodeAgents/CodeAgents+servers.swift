package import DocumentStore
import Logging
import Settings

extension KnownServer {
    fileprivate init(_ document: Document, _ activity: ServerActivity) {
        typealias Field = CodeAgentsDocuments.Field
        let (key, stored) = (document.path.id, document[Field.lastSeenAt]?.timestamp)
        self.init(
            key: key, access: document[Field.access]?.string.flatMap(ServerAccess.init),
            name: document[Field.name]?.string, createdAt: document[Field.createdAt]?.timestamp,
            lastSeenAt: stored.map { activity.time(of: key, after: $0) ?? $0 })
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
extension CodeAgents: ServerList {
    /// The agents that name a server.
    private static var namedAgents: Int { 3 }

    package var serverList: (any ServerList)? { self }
    package var admittedServers: AdmittedServers { settings.servers }
    package var admissionKey: String { Self.keys.prefix + CodeAgentsSettings.serversKey }
    package var rights: String { "register devices and report replies" }

    /// Refuses a server that may not use the functions. Each request has its document as it is now anyway, except for
    /// devices that register again: of a denied server there are none.
    func checkAccess(of server: Document?) throws(CodeAgentsError) {
        switch server?[CodeAgentsDocuments.Field.access]?.string.flatMap(ServerAccess.init) {
        case .allowed: break
        case .denied: throw .serverNotAllowed
        case nil where settings.servers == .listed: throw .serverNotAllowed
        case nil: break
        }
    }

    package func servers(after key: String?, limit: Int) async throws(StoreError) -> [KnownServer] {
        var query = Query.collection(try CollectionPath(CodeAgentsDocuments.servers)).limited(to: limit)
        if let key {
            let name = try CodeAgentsDocuments.server(key).name(in: store.database)
            query = query.ordered(by: .documentName)
            query.start = Cursor([.reference(name)], isAfter: true)
        }
        return try await store.documents(matching: query).map { KnownServer($0, activity) }
    }

    package func contents(of key: String, countedUpTo limit: Int) async throws(StoreError) -> ServerContents {
        typealias Field = CodeAgentsDocuments.Field
        let server = try CodeAgentsDocuments.server(key)
        let agents = Query.collection(try server.collection(CodeAgentsDocuments.agents))
        var named = agents.limited(to: Self.namedAgents)
        named.projection = [FieldPath(Field.agentDisplayName), FieldPath(Field.cwd)]
        let names = try await store.documents(matching: named).compactMap { agent in
            agent[Field.agentDisplayName]?.string ?? agent[Field.cwd]?.string
        }
        let devices = Query.collectionGroup(CodeAgentsDocuments.devices, below: server)
        return ServerContents(
            agents: try await store.count(agents.limited(to: limit)),
            devices: try await store.count(devices.limited(to: limit)), names: names)
    }

    package func setAccess(_ access: ServerAccess, of key: String, name: String?) async throws(StoreError) -> Int {
        let server = try CodeAgentsDocuments.server(key)
        var fields: Fields = [CodeAgentsDocuments.Field.access: .string(access.rawValue)]
        fields[CodeAgentsDocuments.Field.name] = name.map(Value.string)
        fields[CodeAgentsDocuments.Field.lastSeenAt] = try await unstoredTime(of: server).map(Value.timestamp)
        _ = try await store.commit([.merge(server, fields)])
        logger.notice(
            "changed the access of a server", metadata: ["server": "\(key.prefix(8))", "access": "\(access)"])
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

    /// Returns the time of a server's last report if a later one than the stored one is known; `nil` otherwise, also
    /// for a server without registrations, which must not become a registered one.
    private func unstoredTime(of server: DocumentPath) async throws(StoreError) -> Timestamp? {
        guard let stored = try await store.document(at: server)?[CodeAgentsDocuments.Field.lastSeenAt]?.timestamp
        else { return nil }
        return activity.time(of: server.id, after: stored)
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
