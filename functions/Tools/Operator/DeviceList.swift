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
    private let isAtRoot: Bool
    private let read: @Sendable (_ after: DocumentPath?, _ limit: Int) async throws -> Part
    private let groups: @Sendable (_ text: String, _ limit: Int) async throws -> DeviceGroup?
    private let troubles: @Sendable (_ device: DocumentPath) async throws -> String?

    /// Makes the list of a collection at the root.
    package init(collection: String, title: String, system: String, store: any DocumentStore) {
        (id, self.title, self.system, isAtRoot) = (collection, title, system, true)
        groups = { _, _ in nil }
        troubles = { _ in nil }
        read = { place, limit in
            var query = Query.collection(try CollectionPath(collection)).ordered(by: .documentName).limited(to: limit)
            query.start = place.map { Cursor([.reference($0.name(in: store.database))], isAfter: true) }
            let documents = try await store.documents(matching: query)
            return (documents, documents.count == limit ? documents.last?.path : nil)
        }
    }

    /// Makes the list of collections that are below other documents.
    ///
    /// - Parameters:
    ///   - id: The id of the collections.
    ///   - groups: Returns the devices that the system notifies together under the name that a text is.
    ///   - troubles: Returns the reason for which the system sends no message to a device.
    ///   - read: Returns the part after a document, or the first one.
    package init(
        collections id: String, title: String, system: String,
        groups: @escaping @Sendable (_ text: String, _ limit: Int) async throws -> DeviceGroup? = { _, _ in nil },
        troubles: @escaping @Sendable (_ device: DocumentPath) async throws -> String? = { _ in nil },
        read: @escaping @Sendable (_ after: DocumentPath?, _ limit: Int) async throws -> Part
    ) {
        (self.id, self.title, self.system, isAtRoot) = (id, title, system, false)
        self.groups = groups
        self.troubles = troubles
        self.read = read
    }

    /// Returns the part after a document, or the first one.
    package func part(after place: DocumentPath?, limit: Int) async throws -> Part { try await read(place, limit) }

    /// Returns the devices that the system notifies together under a name; `nil` if a text is no such name.
    package func group(named text: String, limit: Int) async throws -> DeviceGroup? { try await groups(text, limit) }

    /// Returns the reason for which the system sends no message to a device; `nil` if there is none.
    package func trouble(of device: DocumentPath) async throws -> String? { try await troubles(device) }

    /// Returns `true` for the path of a registration of the list.
    package func has(_ path: DocumentPath) -> Bool {
        isAtRoot ? path.collection.description == id : path.collection.id == id
    }
}
