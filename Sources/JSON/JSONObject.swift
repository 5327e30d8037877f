/// The members of a JSON object, in the order they were written.
///
/// Objects here are small (a payload, a document's fields), so members stand in one array and are found by looking
/// through it. A name given twice keeps its last value, as JavaScript's parser has it.
public struct JSONObject: Sendable {
    public private(set) var members: [(name: String, value: JSONValue)]

    public init() { members = [] }

    public init(_ members: [(String, JSONValue)]) {
        self.members = []
        self.members.reserveCapacity(members.count)
        guard members.count > 16 else {
            for (name, value) in members { self[name] = value }
            return
        }
        var positions: [String: Int] = [:]
        for (name, value) in members {
            if let position = positions[name] {
                self.members[position].value = value
            } else {
                positions[name] = self.members.count
                self.members.append((name, value))
            }
        }
    }

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
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
