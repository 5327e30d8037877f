@testable import DocumentStore

extension Query.Scope {
    /// The collection's id.
    var name: String {
        switch self {
        case .collection(let path): path.id
        case .collectionGroup(let id, _): id
        }
    }
}
