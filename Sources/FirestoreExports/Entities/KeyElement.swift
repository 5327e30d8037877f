/// A document's id with its collection's, of a key's path or of a reference.
struct KeyElement {
    let collection: String
    let id: DocumentID

    /// The element as a part of a document's name; `nil` if it cannot be one.
    var path: String? {
        guard Self.isSegment(collection), id != .number(0), Self.isSegment(id.description) else { return nil }
        return "\(collection)/\(id.description)"
    }

    private static func isSegment(_ text: String) -> Bool { !text.isEmpty && !text.utf8.contains(UInt8(ascii: "/")) }
}

/// A document's id, of which Datastore has two kinds.
enum DocumentID: Equatable {
    case name(String)
    /// An id such as `__id5__`, in the form of Firestore.
    case number(Int64)

    init(_ text: String) { self = Self.number(in: text).map(Self.number) ?? .name(text) }

    var description: String {
        switch self {
        case .name(let name): name
        case .number(let number): "__id\(number)__"
        }
    }

    private static func number(in text: String) -> Int64? {
        guard text.utf8.starts(with: "__id".utf8), text.hasSuffix("__"), text.utf8.count > 6 else { return nil }
        let digits = text.dropFirst(4).dropLast(2)
        // Only one text stands for each number, and no text for 0.
        guard let number = Int64(digits), number != 0, String(number) == digits else { return nil }
        return number
    }
}

extension KeyElement {
    init(_ element: Path.Element) {
        collection = element.type
        id = element.hasID ? .number(element.id) : .name(element.name)
    }

    init(_ element: PropertyValue.ReferenceValue.PathElement) {
        collection = element.type
        id = element.hasID ? .number(element.id) : .name(element.name)
    }
}

extension Path.Element {
    init(_ element: KeyElement) {
        self.init()
        type = element.collection
        switch element.id {
        case .name(let name): self.name = name
        case .number(let number): id = number
        }
    }
}

extension PropertyValue.ReferenceValue.PathElement {
    init(_ element: KeyElement) {
        self.init()
        type = element.collection
        switch element.id {
        case .name(let name): self.name = name
        case .number(let number): id = number
        }
    }
}
