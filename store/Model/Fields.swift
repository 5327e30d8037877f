package import Texts

/// The fields of a document or a map, by name. Names compare by their bytes: é as one scalar and as two are two fields.
public struct Fields: Hashable, Sendable {
    private var values: [ExactText: Value]

    /// Makes the fields of an empty document or map.
    public init() { values = [:] }

    /// Makes no fields, with memory for a number of them.
    public init(minimumCapacity: Int) { values = Dictionary(minimumCapacity: minimumCapacity) }

    /// Makes fields of names and values.
    ///
    /// - Parameter elements: of several with one name, the last counts.
    public init(_ elements: some Sequence<(String, Value)>) {
        self.init(minimumCapacity: elements.underestimatedCount)
        for (name, value) in elements { self[name] = value }
    }

    /// The number of fields.
    public var count: Int { values.count }
    /// `true` if there are no fields.
    public var isEmpty: Bool { values.isEmpty }
    /// The names of the fields, in no order.
    public var keys: some Collection<String> { values.keys.lazy.map { $0.text } }

    /// The value of the field with that name; `nil` if there is none. Setting `nil` removes the field.
    public subscript(name: String) -> Value? {
        get { values[ExactText(name)] }
        set { values[ExactText(name)] = newValue }
    }

    /// Returns fields of the same names with other values.
    public func mapValues(_ transform: (Value) throws -> Value) rethrows -> Fields {
        Fields(values: try values.mapValues(transform))
    }

    /// Returns the fields that fulfill a condition.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Fields {
        Fields(values: try values.filter { try isIncluded((key: $0.key.text, value: $0.value)) })
    }

    /// Adds other fields, in place of those with the same names.
    public mutating func merge(_ others: Fields) { values.merge(others.values) { $1 } }

    /// Returns these fields with others, in place of those with the same names.
    public func merging(_ others: Fields) -> Fields {
        var merged = self
        merged.merge(others)
        return merged
    }

    private init(values: [ExactText: Value]) { self.values = values }

    /// Visits the fields in the order of their names' bytes. Allocates nothing on the heap if they are few.
    func forEachInByteOrder(_ visit: (String, Value) -> Void) {
        values.forEach(inByteOrderOf: { $0.text }) { visit($0.text, $1) }
    }

    /// Returns what a closure makes of each value.
    package func byExactName<Content>(_ transform: (Value) throws -> Content) rethrows -> [ExactText: Content] {
        try values.mapValues(transform)
    }
}

extension Fields: Sequence {
    /// A field's name and its value.
    public typealias Element = (key: String, value: Value)

    /// An iterator over fields in no order.
    public struct Iterator: IteratorProtocol {
        fileprivate var entries: Dictionary<ExactText, Value>.Iterator

        /// Returns the next field; `nil` after the last.
        public mutating func next() -> Element? { entries.next().map { (key: $0.key.text, value: $0.value) } }
    }

    /// Returns an iterator over the fields.
    public func makeIterator() -> Iterator { Iterator(entries: values.makeIterator()) }

    /// The number of fields.
    public var underestimatedCount: Int { values.count }
}

extension Fields: ExpressibleByDictionaryLiteral {
    /// Makes the fields of a literal; of several with one name, the last counts.
    public init(dictionaryLiteral elements: (String, Value)...) { self.init(elements) }
}

extension Fields: CustomStringConvertible {
    /// The fields as a literal, in the order of their names.
    public var description: String {
        let texts = sortedByName.map { "\"\($0.key)\": \($0.value)" }
        return texts.isEmpty ? "[:]" : "[\(texts.joined(separator: ", "))]"
    }
}
