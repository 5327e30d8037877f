package import DocumentStore

/// The devices of one system, or of other clients, for the operator.
package struct DeviceList: Sendable {
    /// A part of a list, and the document after which the next part begins; `nil` if there is none.
    package typealias Part = (documents: [Document], next: DocumentPath?)

    /// The id of the collections with the registrations, which tells the lists apart.
    package let id: String
    /// The name of the list.
    package let title: String
    /// The system that the registrations are of.
    package let system: String
    /// `true` if devices belong to agents, which ``agents(of:)`` names.
    package let hasAgents: Bool
    private let isAtRoot: Bool
    private let store: any DocumentStore
    private let read: @Sendable (_ after: DocumentPath?, _ limit: Int) async throws -> Part
    private let groups: @Sendable (_ text: String, _ limit: Int) async throws -> DeviceGroup?
    private let troubles: @Sendable (_ device: DocumentPath) async throws -> String?
    private let readAgents: @Sendable (_ devices: [DocumentPath]) async throws -> [DocumentPath: String]

    /// The devices that are read at once for a search.
    private static let searchSize = 500
    /// The greatest number of parts that one step of a search reads.
    private static let searchParts = 10

    /// Makes the list of a collection at the root.
    ///
    /// - Parameter troubles: Returns the reason for which the system sends no message to a device.
    package init(
        collection: String, title: String, system: String, store: any DocumentStore,
        troubles: @escaping @Sendable (_ device: DocumentPath) async throws -> String? = { _ in nil }
    ) {
        (id, self.title, self.system, isAtRoot, hasAgents) = (collection, title, system, true, false)
        self.store = store
        groups = { _, _ in nil }
        self.troubles = troubles
        read = { place, limit in
            let start = place.map { Cursor([.reference($0.name(in: store.database))], isAfter: true) }
            let documents = try await Self.documents(in: collection, from: start, limit, store)
            return (documents, documents.count == limit ? documents.last?.path : nil)
        }
        readAgents = { _ in [:] }
    }

    /// Makes the list of collections that are below other documents.
    ///
    /// - Parameters:
    ///   - id: The id of the collections.
    ///   - groups: Returns the devices that the system notifies together under the name that a text is.
    ///   - troubles: Returns the reason for which the system sends no message to a device.
    ///   - read: Returns the part after a document, or the first one.
    ///   - agents: Returns the names of the agents that devices belong to, by the paths of the devices.
    package init(
        collections id: String, title: String, system: String, store: any DocumentStore,
        groups: @escaping @Sendable (_ text: String, _ limit: Int) async throws -> DeviceGroup? = { _, _ in nil },
        troubles: @escaping @Sendable (_ device: DocumentPath) async throws -> String? = { _ in nil },
        read: @escaping @Sendable (_ after: DocumentPath?, _ limit: Int) async throws -> Part,
        agents: @escaping @Sendable (_ devices: [DocumentPath]) async throws -> [DocumentPath: String]
    ) {
        (self.id, self.title, self.system, isAtRoot, hasAgents) = (id, title, system, false, true)
        self.store = store
        self.groups = groups
        self.troubles = troubles
        self.read = read
        readAgents = agents
    }

    /// Returns the part after a document, or the first one.
    package func part(after place: DocumentPath?, limit: Int) async throws -> Part { try await read(place, limit) }

    /// Returns the devices that the system notifies together under a name; `nil` if a text is no such name.
    package func group(named text: String, limit: Int) async throws -> DeviceGroup? { try await groups(text, limit) }

    /// Returns the reason for which the system sends no message to a device; `nil` if there is none.
    package func trouble(of device: DocumentPath) async throws -> String? { try await troubles(device) }

    /// Returns the names of the agents that devices belong to, by the paths of the devices.
    package func agents(of devices: [DocumentPath]) async throws -> [DocumentPath: String] {
        try await readAgents(devices)
    }

    /// Returns the number of devices, at most the limit.
    package func count(upTo limit: Int) async throws -> Int {
        let query: Query = try isAtRoot ? .collection(CollectionPath(id)) : .collectionGroup(id)
        return try await store.count(query.limited(to: limit))
    }

    /// Returns `true` for the path of a registration of the list.
    package func has(_ path: DocumentPath) -> Bool {
        isAtRoot ? path.collection.description == id : path.collection.id == id
    }

    private static func documents(
        in collection: String, from start: Cursor?, _ limit: Int, _ store: any DocumentStore
    ) async throws -> [Document] {
        var query = Query.collection(try CollectionPath(collection)).ordered(by: .documentName).limited(to: limit)
        query.start = start
        return try await store.documents(matching: query)
    }
}

/// The search for devices.
extension DeviceList {
    /// Returns devices whose id, or whose agent's name, begins with a text.
    ///
    /// A step of a search is bounded by what it reads, not by what it finds: it may find none and still have a next
    /// one. There is no index for it, because that would cost every registration.
    package func search(_ text: String, after place: DocumentPath?, limit: Int) async throws -> Part {
        guard !isAtRoot else { return try await searchRoot(text, after: place, limit) }
        var (found, place) = ([Document](), place)
        for _ in 0..<Self.searchParts {
            let part = try await read(place, Self.searchSize)
            let agents = try await readAgents(part.documents.map(\.path))
            found += part.documents.filter { device in
                device.path.id.beginsWith(text) || agents[device.path]?.beginsWith(text) == true
            }
            place = part.next
            guard place != nil, found.count < limit else { break }
        }
        return (found, place)
    }

    private func searchRoot(_ text: String, after place: DocumentPath?, _ limit: Int) async throws -> Part {
        guard let first = try? CollectionPath(id).document(text) else { return ([], nil) }
        let start = Cursor([.reference((place ?? first).name(in: store.database))], isAfter: place != nil)
        let documents = try await Self.documents(in: id, from: start, limit, store)
        // Ids are in the order of their bytes, so all that begin with the text follow each other.
        let found = documents.prefix { $0.path.id.utf8.starts(with: text.utf8) }
        return (Array(found), found.count == limit ? found.last?.path : nil)
    }
}

extension String {
    /// Returns `true` if the text begins with another, in any case of the letters.
    fileprivate func beginsWith(_ text: String) -> Bool { lowercased().hasPrefix(text.lowercased()) }
}
