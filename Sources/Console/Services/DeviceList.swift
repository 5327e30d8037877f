package import DocumentStore
import Functions

/// A list of registrations on the console's page of devices.
package struct DeviceList: Sendable {
    /// A part of a list, and the document after which the next part begins; `nil` if there is none.
    typealias Part = (documents: [Document], next: DocumentPath?)

    /// The id of the collections with the registrations, which tells the lists apart.
    let id: String
    /// The name of the list.
    let title: String
    /// The system that the registrations are of.
    let system: String
    private let isAtRoot: Bool
    private let read: @Sendable (_ after: DocumentPath?, _ limit: Int) async throws -> Part

    /// Makes the list of a collection at the root.
    package init(collection: String, title: String, system: String, store: any DocumentStore) {
        (id, self.title, self.system, isAtRoot) = (collection, title, system, true)
        read = { place, limit in
            var query = Query.collection(try CollectionPath(collection)).ordered(by: .documentName).limited(to: limit)
            query.start = place.map { Cursor([.reference($0.name(in: store.database))], isAfter: true) }
            let documents = try await store.documents(matching: query)
            return (documents, documents.count == limit ? documents.last?.path : nil)
        }
    }

    /// Makes the list of the devices of coding agents, which are below their agents.
    package init(codingAgents store: any DocumentStore) {
        (id, title, system, isAtRoot) = ("devices", "Coding agents", CodeAgents.source, false)
        read = { place, limit in
            let page = try await DeviceSearch(store: store).page(after: place, limit: limit)
            return (page.devices, page.next)
        }
    }

    func part(after place: DocumentPath?, limit: Int) async throws -> Part { try await read(place, limit) }

    /// Returns `true` for the path of a registration of the list.
    func has(_ path: DocumentPath) -> Bool {
        isAtRoot ? path.collection.description == id : path.collection.id == id
    }
}
