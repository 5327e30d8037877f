import DocumentStore

/// Agents, as the operator names them when a message has not arrived.
extension CodeAgents {
    private typealias Documents = CodeAgentsDocuments

    /// The greatest number of servers, and of agents of each, that are looked at to find an agent by its name.
    private static let searchedServers = 200
    private static let searchedAgents = 100

    /// Returns the devices of the agents that a text names: by the path of its document, its directory on its server,
    /// or its display name. `nil` if it names none.
    func group(named text: String, limit: Int) async throws(StoreError) -> DeviceGroup? {
        if !text.hasPrefix("/"), let path = try? DocumentPath(text) {
            guard path.isOfAgent else { return nil }
            return try await group(of: [path], limit: limit)
        }
        let servers = try await store.documents(
            matching: .collection(try CollectionPath(Documents.servers)).limited(to: Self.searchedServers))
        var agents = try await agents(in: text, of: servers)
        if agents.isEmpty, let similar = Self.similar(to: text) {
            let others = try await self.agents(in: similar, of: servers)
            if !others.isEmpty {
                return DeviceGroup(
                    name: "the agent \(text)", devices: [],
                    trouble: "no device is subscribed to \(text), but to \(similar): the paths must be the same")
            }
        }
        if agents.isEmpty { agents = try await self.agents(called: text, of: servers) }
        return agents.isEmpty ? nil : try await group(of: agents, limit: limit)
    }

    /// Returns the reason for which no message reaches a device, as far as it is its server's; `nil` if there is none.
    func trouble(of device: DocumentPath) async throws(StoreError) -> String? {
        guard let server = device.segments.dropFirst().first else { return nil }
        return trouble(of: try await store.document(at: Documents.server(String(server))), String(server))
    }

    private func trouble(of server: Document?, _ key: String) -> String? {
        do throws(CodeAgentsError) {
            try checkAccess(of: server)
            return nil
        } catch {
            return "its server may not use the gateway, so its reports are refused; to allow it: pushgate servers "
                + "allow \(key)"
        }
    }

    private func group(of agents: [DocumentPath], limit: Int) async throws(StoreError) -> DeviceGroup? {
        var (devices, names, trouble) = ([Document](), [String](), String?.none)
        for document in zip(agents, try await store.documents(at: agents)) {
            names.append(document.1?[Documents.Field.cwd]?.string ?? document.0.id)
            guard let server = document.0.collection.parent else { continue }
            trouble = try await self.trouble(of: store.document(at: server), server.id) ?? trouble
            let collection = try document.0.collection(Documents.devices)
            devices += try await store.documents(
                matching: .collection(collection).limited(to: max(1, limit - devices.count)))
        }
        let distinct = Set(names).sorted().joined(separator: ", ")
        return DeviceGroup(name: "the agent \(distinct)", devices: Array(devices.prefix(limit)), trouble: trouble)
    }

    /// Returns the agents of a directory on some servers.
    private func agents(in directory: String, of servers: [Document]) async throws(StoreError) -> [DocumentPath] {
        guard directory.hasPrefix("/"), !servers.isEmpty else { return [] }
        var paths: [DocumentPath] = []
        for server in servers {
            let agent = Agent(serverKey: server.path.id, cwd: directory)
            paths.append(try agent.path(below: server.path))
        }
        return try await store.documents(at: paths).compactMap { $0?.path }
    }

    /// Returns the agents with a display name on some servers.
    private func agents(called name: String, of servers: [Document]) async throws(StoreError) -> [DocumentPath] {
        var found: [DocumentPath] = []
        for server in servers {
            var query = Query.collection(try server.path.collection(Documents.agents)).limited(to: Self.searchedAgents)
            query.projection = [FieldPath(Documents.Field.agentDisplayName)]
            let agents = try await store.documents(matching: query)
            found += agents.filter { $0[Documents.Field.agentDisplayName]?.string == name }.map(\.path)
        }
        return found
    }

    /// Returns the same directory with the slash at its end that the text lacks, or without the one that it has; `nil`
    /// for other texts.
    private static func similar(to directory: String) -> String? {
        guard directory.hasPrefix("/"), directory.count > 1 else { return nil }
        return directory.hasSuffix("/") ? String(directory.dropLast()) : directory + "/"
    }
}

extension DocumentPath {
    /// `true` for the path of an agent.
    fileprivate var isOfAgent: Bool {
        segments.count == 4 && collection.id == CodeAgentsDocuments.agents
            && collection.parent?.collection.description == CodeAgentsDocuments.servers
    }
}
