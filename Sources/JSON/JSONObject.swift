import Texts

/// The members of a JSON object, in the order in which they were written.
///
/// Objects here are small (a payload, a document's fields), so the members are an array and a look-up is a linear
/// search. If a name occurs twice, the last value counts, as in JavaScript's parser. Names compare by their bytes (RFC
/// 8259 §8.3).
public struct JSONObject: Sendable {
    /// The members, each name once.
    public private(set) var members: [(name: String, value: JSONValue)]

    /// Makes an object without members.
    public init() { members = [] }

    /// Makes an object of the members, in their order.
    ///
    /// - Parameter members: of several with one name, the first determines the place and the last the value.
    public init(_ members: [(name: String, value: JSONValue)]) {
        self.members = members
        if hasRepeatedNames { self.members = Self.merged(members) }
    }

    private var hasRepeatedNames: Bool {
        guard members.count <= 16 else { return Set(names).count < members.count }
        return members.indices.contains { index in position(of: members[index].name, before: index) != nil }
    }

    private var names: [ExactText] { members.map { ExactText($0.name) } }

    /// Returns the position of a member among the first ones; `nil` if it is not there.
    private func position(of name: String, before end: Int) -> Int? {
        let name = ExactText(name)
        return members[..<end].firstIndex { ExactText($0.name) == name }
    }

    private static func merged(_ members: [(name: String, value: JSONValue)]) -> [(name: String, value: JSONValue)] {
        var merged: [(name: String, value: JSONValue)] = []
        var positions: [ExactText: Int] = [:]
        for member in members {
            if let position = positions[ExactText(member.name)] {
                merged[position].value = member.value
            } else {
                positions[ExactText(member.name)] = merged.count
                merged.append(member)
            }
        }
        return merged
    }

    /// Reserves memory for a number of members.
    public mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

    /// `true` if the object has no members.
    public var isEmpty: Bool { members.isEmpty }
    /// The number of members.
    public var count: Int { members.count }

    /// The value of the member with that name. Setting `nil` removes the member; setting a new name appends it.
    public subscript(name: String) -> JSONValue? {
        get { position(of: name, before: members.count).map { members[$0].value } }
        set {
            let position = position(of: name, before: members.count)
            switch (position, newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil): members.remove(at: position)
            case (nil, let value?):
                // Reserves memory at once for the few members that most objects have.
                if members.capacity == 0 { members.reserveCapacity(4) }
                members.append((name, value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: Hashable {
    /// Compares members without regard to their order: `{"a":1,"b":2}` equals `{"b":2,"a":1}`.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }

    /// Hashes the names; the order of the members has no effect.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(Set(names))
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object of a literal, as ``init(_:)`` does.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.map { (name: $0.0, value: $0.1) })
    }
}
