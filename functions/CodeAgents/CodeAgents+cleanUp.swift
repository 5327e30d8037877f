internal import DocumentStore
internal import Logging

/// The scheduled clean-up: what no phone and no server has touched for 90 days goes.
extension CodeAgents {
    private static let maximumAge = Duration.seconds(90 * 24 * 60 * 60)
    private static let batch = 500

    /// Devices first, then agents left without devices, then servers left without agents.
    @Sendable func cleanUp() async throws {
        let cutoff = now().adding(.zero - Self.maximumAge)
        let devices = try await sweep(
            CodeAgentsDocuments.devices, CodeAgentsDocuments.Field.updatedAt, cutoff, depth: 3)
        let agents = try await sweep(CodeAgentsDocuments.agents, CodeAgentsDocuments.Field.updatedAt, cutoff, depth: 2)
        let servers = try await sweep(
            CodeAgentsDocuments.servers, CodeAgentsDocuments.Field.lastSeenAt, cutoff, depth: 1)
        logger.info(
            "cleaned up", metadata: ["devices": "\(devices)", "agents": "\(agents)", "servers": "\(servers)"])
    }

    /// Deletes the stale, childless documents of all collections of that id, the stalest first.
    ///
    /// - Parameter depth: how deep a document of this module stands; another module may have collections of the same id.
    /// - Returns: how many were deleted.
    private func sweep(_ collection: String, _ field: String, _ cutoff: Timestamp, depth: Int) async throws -> Int {
        var deleted = 0
        var query = Query.collectionGroup(collection)
            .where(FieldPath(field), .lessThan, .timestamp(cutoff))
            .ordered(by: FieldPath(field))
            .limited(to: Self.batch)
        query.projection = [FieldPath(field)]
        while true {
            let stale = try await store.documents(matching: query)
            for document in stale where document.path.isCodeAgents(depth: depth) {
                if try await isChildless(document.path), try await delete(document) { deleted += 1 }
            }
            guard let last = stale.last, let time = last[field], stale.count == Self.batch else { return deleted }
            query.start = Cursor([time, .reference(last.path.name(in: store.database))], isAfter: true)
        }
    }

    private func isChildless(_ path: DocumentPath) async throws -> Bool {
        try await store.collectionIDs(below: path).isEmpty
    }

    /// Deletes the document unless it has changed since it was read: a phone may register at this very moment.
    private func delete(_ document: Document) async throws(StoreError) -> Bool {
        do {
            _ = try await store.commit([.delete(document.path, precondition: .updateTime(document.updateTime))])
            return true
        } catch {
            guard error.code == .failedPrecondition else { throw error }
            return false
        }
    }
}

extension DocumentPath {
    /// Whether it is a server's, an agent's or a device's, at depth 1, 2 or 3.
    fileprivate func isCodeAgents(depth: Int) -> Bool {
        let collections = description.split(separator: "/").enumerated().filter { $0.offset.isMultiple(of: 2) }
        let own = [CodeAgentsDocuments.servers, CodeAgentsDocuments.agents, CodeAgentsDocuments.devices]
        return collections.map { String($0.element) } == Array(own.prefix(depth))
    }
}
