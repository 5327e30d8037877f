/// The members of a JSON object, in the order they were written.
///
/// Objects here are small (a payload, a document's fields), so members stand in one array and are found by looking
/// through it. A name given twice keeps its last value, as JavaScript's parser has it.
public struct JSONObject: Sendable {
    public private(set) var members: [(name: String, value: JSONValue)]

    public init() { members = [] }

    /// - Parameter members: of those of one name, the first counts, with the last one's value.
    public init(_ members: [(name: String, value: JSONValue)]) {
        self.members = members
        if hasRepeatedNames { self.members = Self.merged(members) }
    }

    private var hasRepeatedNames: Bool {
        guard members.count <= 16 else { return Set(members.map(\.name)).count < members.count }
        return members.indices.contains { index in members[..<index].contains { $0.name == members[index].name } }
    }

    private static func merged(_ members: [(name: String, value: JSONValue)]) -> [(name: String, value: JSONValue)] {
        var merged: [(name: String, value: JSONValue)] = []
        var positions: [String: Int] = [:]
        for member in members {
            if let position = positions[member.name] {
                merged[position].value = member.value
            } else {
                positions[member.name] = merged.count
                merged.append(member)
            }
        }
        return merged
    }

    /// Makes room for so many members.
    public mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

    public var isEmpty: Bool { members.isEmpty }
    public var count: Int { members.count }

    /// The value of that name; setting `nil` removes the member, setting a new name appends it.
    public subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            let position = members.firstIndex { $0.name == name }
            switch (position, newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil): members.remove(at: position)
            case (nil, let value?):
                // Room for the few that most objects have, at once.
                if members.capacity == 0 { members.reserveCapacity(4) }
                members.append((name, value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: Hashable {
    /// Order does not matter to equality: `{"a":1,"b":2}` equals `{"b":2,"a":1}`.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(Set(members.map(\.name)))
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { (name: $0.0, value: $0.1) })
    }
}
