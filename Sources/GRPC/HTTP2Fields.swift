/// The fields of an HTTP/2 head or of its trailers, in their order. Names are in lower case.
package struct HTTP2Fields: Sendable {
    private var fields: [Element]

    package init(_ fields: [(String, String)] = []) { self.fields = fields.map { (name: $0.0, value: $0.1) } }

    package var count: Int { fields.count }

    package mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

    package mutating func add(name: String, value: String) { fields.append((name: name, value: value)) }

    package mutating func add(contentsOf other: HTTP2Fields) { fields.append(contentsOf: other.fields) }

    /// Returns the value of the first field with the name; `nil` if there is none.
    package func first(name: String) -> String? { fields.first { $0.name == name }?.value }
}

extension HTTP2Fields: Sequence {
    package typealias Element = (name: String, value: String)

    package func makeIterator() -> IndexingIterator<[Element]> { fields.makeIterator() }
}

extension HTTP2Fields: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }
}
