package import DocumentStore

/// A search for the devices of all servers, in the order of their paths.
///
/// It goes from agent to agent, because the store sorts the names of a whole collection group for each page of it. A
/// page is bounded by what it reads, not by what it finds: it may have fewer devices than the limit, or none, and still
/// have a next one.
package struct DeviceSearch: Sendable {
    /// A page of devices.
    package struct Page: Sendable {
        package fileprivate(set) var devices: [Document] = []
        /// The document after which the next page begins: a device, or an agent or a server whose devices are in this
        /// page or before. `nil` if there is none.
        package fileprivate(set) var next: DocumentPath?
    }

    /// The greatest number of steps for a page, each of three reads at most.
    private static let maximumSteps = 200

    private let store: any DocumentStore

    package init(store: any DocumentStore) { self.store = store }

    /// Returns a page of devices.
    ///
    /// - Parameter place: ``Page/next`` of the page before; `nil` for the first page.
    /// - Throws: `INVALID_ARGUMENT` for the path of another document.
    package func page(after place: DocumentPath?, limit: Int) async throws(StoreError) -> Page {
        var (page, place) = (Page(), place)
        for _ in 0..<Self.maximumSteps {
            guard let reached = try await step(after: place, limit, &page) else { return page }
            place = reached
            guard page.devices.count < limit else { break }
            // The store may answer at once. Requests that take less time must not wait for all of a search.
            await Task.yield()
        }
        page.next = place
        return page
    }

    /// Reads devices of the next agent. Returns the place that it reached; `nil` at the end.
    private func step(
        after place: DocumentPath?, _ limit: Int, _ page: inout Page
    ) async throws(StoreError) -> DocumentPath? {
        typealias Documents = CodeAgentsDocuments
        guard let place else {
            return try await enterServer(first(in: CollectionPath(Documents.servers), after: nil), limit, &page)
        }
        switch (place.collection.id, place.collection.parent, place.segments.count) {
        case (Documents.servers, _, 2):
            return try await enterServer(first(in: place.collection, after: place.id), limit, &page)
        case (Documents.agents, let server?, 4) where server.collection.id == Documents.servers:
            guard let agent = try await first(in: place.collection, after: place.id) else { return server }
            return try await addDevices(of: agent, after: nil, limit, &page)
        case (Documents.devices, let agent?, 6) where agent.collection.id == Documents.agents:
            return try await addDevices(of: agent, after: place, limit, &page)
        default: throw StoreError(.invalidArgument, "\(place) is no device, agent or server of coding agents")
        }
    }

    private func enterServer(
        _ server: DocumentPath?, _ limit: Int, _ page: inout Page
    ) async throws(StoreError) -> DocumentPath? {
        guard let server else { return nil }
        guard let agent = try await first(in: server.collection(CodeAgentsDocuments.agents), after: nil) else {
            return server
        }
        return try await addDevices(of: agent, after: nil, limit, &page)
    }

    private func addDevices(
        of agent: DocumentPath, after device: DocumentPath?, _ limit: Int, _ page: inout Page
    ) async throws(StoreError) -> DocumentPath? {
        let left = limit - page.devices.count
        var query = Query.collection(try agent.collection(CodeAgentsDocuments.devices)).ordered(by: .documentName)
            .limited(to: left)
        query.start = device.map { Cursor([.reference($0.name(in: store.database))], isAfter: true) }
        let devices = try await store.documents(matching: query)
        page.devices += devices
        return devices.count == left ? devices.last?.path : agent
    }

    /// Returns the first document after an id that exists or has documents below it.
    private func first(in collection: CollectionPath, after id: String?) async throws(StoreError) -> DocumentPath? {
        try await store.listing(of: collection, after: id, limit: 1, projection: []).first?.path
    }
}
