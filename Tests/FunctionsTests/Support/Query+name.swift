@testable import DocumentStore

extension Query.Scope {
    /// The id of the collection.
    var name: String {
        switch self {
        case .collection(let path): path.id
        case .collectionGroup(let id, _): id
        }
    }
}
