@testable import DocumentStore

extension Query.Scope {
    /// The id of the collection; empty for collections of any id.
    var name: String {
        switch self {
        case .collection(let path): path.id
        case .collectionGroup(let id, _): id
        case .children, .descendants: ""
        }
    }
}
