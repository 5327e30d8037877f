package import Texts

/// The fields of a document or a map, by name. Names compare by their bytes: é as one scalar and as two are two fields.
public struct Fields: Sendable {
    fileprivate struct Field: Hashable, Sendable {
        let name: ExactText
        var value: Value
    }

    /// The number of fields up to which an array takes less time and memory than a dictionary.
    private static let mostFew = 32

    /// The fields in the order of their names, as long as they are few.
    private var few: [Field] = []
    /// The fields once there were many, or memory for many; `nil` before.
    private var many: [ExactText: Value]?

    /// Makes the fields of an empty document or map.
    public init() {}

    /// Makes no fields, with memory for a number of them.
    public init(minimumCapacity: Int) {
        if minimumCapacity > Self.mostFew {
            many = Dictionary(minimumCapacity: minimumCapacity)
        } else {
            few.reserveCapacity(minimumCapacity)
        }
    }

    /// Makes fields of names and values.
    ///
    /// - Parameter elements: of several with one name, the last counts.
    public init(_ elements: some Sequence<(String, Value)>) {
        self.init(minimumCapacity: elements.underestimatedCount)
        for (name, value) in elements { self[name] = value }
    }

    /// The number of fields.
    public var count: Int { many?.count ?? few.count }
    /// `true` if there are no fields.
    public var isEmpty: Bool { many?.isEmpty ?? few.isEmpty }
    /// The names of the fields, in no order.
    public var keys: some Collection<String> { all.lazy.map { $0.name.text } }

    private var all: [Field] { many?.map { Field(name: $0.key, value: $0.value) } ?? few }

    /// The value of the field with that name; `nil` if there is none. Setting `nil` removes the field.
    public subscript(name: String) -> Value? {
        get {
            let name = ExactText(name)
            if let many { return many[name] }
            return few.first { $0.name == name }?.value
        }
        set {
            let name = ExactText(name)
            if many == nil { setFew(newValue, named: name) } else { many?[name] = newValue }
        }
    }

    private mutating func setFew(_ value: Value?, named name: ExactText) {
        let place = place(of: name)
        let isThere = place < few.count && few[place].name == name
        switch (isThere, value) {
        case (true, let value?): few[place].value = value
        case (true, nil): few.remove(at: place)
        case (false, let value?): insert(value, named: name, at: place)
        case (false, nil): break
        }
    }

    /// Returns the position of a field, or that at which it is to be inserted.
    private func place(of name: ExactText) -> Int {
        // Stored fields come in their order.
        if let last = few.last, last.name < name { return few.count }
        var (low, high) = (0, few.count)
        while low < high {
            let middle = (low + high) / 2
            if few[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func insert(_ value: Value, named name: ExactText, at place: Int) {
        guard few.count < Self.mostFew else {
            var all = [ExactText: Value](minimumCapacity: 2 * few.count)
            for field in few { all[field.name] = field.value }
            all[name] = value
            (few, many) = ([], all)
            return
        }
        if few.capacity == 0 { few.reserveCapacity(6) }
        few.insert(Field(name: name, value: value), at: place)
    }

    /// Returns fields of the same names with other values.
    public func mapValues(_ transform: (Value) throws -> Value) rethrows -> Fields {
        var fields = self
        for index in few.indices { fields.few[index].value = try transform(few[index].value) }
        fields.many = try many?.mapValues(transform)
        return fields
    }

    /// Returns the fields that fulfill a condition.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Fields {
        var fields = Fields()
        fields.few = try few.filter { try isIncluded((key: $0.name.text, value: $0.value)) }
        fields.many = try many?.filter { try isIncluded((key: $0.key.text, value: $0.value)) }
        return fields
    }

    /// Adds other fields, in place of those with the same names.
    public mutating func merge(_ others: Fields) {
        for (name, value) in others { self[name] = value }
    }

    /// Returns these fields with others, in place of those with the same names.
    public func merging(_ others: Fields) -> Fields {
        var merged = self
        merged.merge(others)
        return merged
    }

    /// Visits the fields in the order of their names' bytes. Allocates nothing on the heap if they are few.
    func forEachInByteOrder(_ visit: (String, Value) -> Void) {
        for field in few { visit(field.name.text, field.value) }
        many?.forEach(inByteOrderOf: { $0.text }) { visit($0.text, $1) }
    }

    /// Returns what a closure makes of each value.
    package func byExactName<Content>(_ transform: (Value) throws -> Content) rethrows -> [ExactText: Content] {
        if let many { return try many.mapValues(transform) }
        var contents = [ExactText: Content](minimumCapacity: few.count)
        for field in few { contents[field.name] = try transform(field.value) }
        return contents
    }
}

/// Fields are equal if they have the same names with equal values, in whatever order they were set.
extension Fields: Hashable {
    /// Compares the names and values.
    public static func == (left: Fields, right: Fields) -> Bool {
        guard left.count == right.count else { return false }
        switch (left.many, right.many) {
        case (nil, nil): return left.few == right.few
        case (let left?, let right?): return left == right
        default: return left.allSatisfy { right[$0.key] == $0.value }
        }
    }

    /// Hashes the names and values. Their order has no effect.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for (name, value) in self {
            var field = Hasher()
            field.combine(ExactText(name))
            field.combine(value)
            sum ^= field.finalize()
        }
        hasher.combine(sum)
    }
}

extension Fields: Sequence {
    /// A field's name and its value.
    public typealias Element = (key: String, value: Value)

    /// An iterator over fields in no order.
    public struct Iterator: IteratorProtocol {
        fileprivate var few: IndexingIterator<[Field]>
        fileprivate var many: Dictionary<ExactText, Value>.Iterator?

        /// Returns the next field; `nil` after the last.
        public mutating func next() -> Element? {
            if let field = few.next() { return (key: field.name.text, value: field.value) }
            return many?.next().map { (key: $0.key.text, value: $0.value) }
        }
    }

    /// Returns an iterator over the fields.
    public func makeIterator() -> Iterator { Iterator(few: few.makeIterator(), many: many?.makeIterator()) }

    /// The number of fields.
    public var underestimatedCount: Int { count }
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
