package import JSON

/// Typed reading of members in a request's body. An error names the member.
extension JSONValue {
    package init(_ number: Int) { self = .integer(Int64(number)) }

    /// Reads a whole number in a range.
    package func number(_ name: String, in range: ClosedRange<Int>) throws(ControlError) -> Int {
        guard let number = integer.map(Int.init), range.contains(number) else {
            throw .badRequest("\(name) is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Reads a whole number in a range; `nil` for `null`.
    package func numberOrNull(_ name: String, in range: ClosedRange<Int>) throws(ControlError) -> Int? {
        self == .null ? nil : try number(name, in: range)
    }

    /// Reads a string.
    package func text(_ name: String) throws(ControlError) -> String {
        guard let string else { throw .badRequest("\(name) is not a string") }
        return string
    }

    /// Reads a string; `nil` for `null`.
    package func textOrNull(_ name: String) throws(ControlError) -> String? {
        self == .null ? nil : try text(name)
    }

    /// Reads a Boolean.
    package func flag(_ name: String) throws(ControlError) -> Bool {
        guard let bool else { throw .badRequest("\(name) is neither true nor false") }
        return bool
    }

    /// Reads an array.
    package func elements(_ name: String) throws(ControlError) -> [JSONValue] {
        guard let array else { throw .badRequest("\(name) is not an array") }
        return array
    }

    /// Reads an object.
    package func members(_ name: String) throws(ControlError) -> JSONObject {
        guard let object else { throw .badRequest("\(name) is not a JSON object") }
        return object
    }

    /// Reads a duration in milliseconds, up to one hour.
    package func milliseconds(_ name: String) throws(ControlError) -> Duration {
        .milliseconds(try number(name, in: 0...3_600_000))
    }
}

extension JSONObject {
    /// Returns the object itself if it has all members of `names`, and no others than those and `optional`.
    ///
    /// An unknown member is an error, because a misspelled name would otherwise be ignored silently.
    package func checked(
        _ subject: String, required names: [String], optional: [String] = []
    ) throws(ControlError) -> JSONObject {
        if let missing = names.first(where: { self[$0] == nil }) {
            throw .badRequest("\(subject) lacks \(missing); GET / shows the members it needs")
        }
        if let unknown = members.first(where: { !names.contains($0.name) && !optional.contains($0.name) }) {
            throw .badRequest("\(subject) has the unknown member \(unknown.name); GET / shows the known ones")
        }
        return self
    }

    /// Returns a member that ``checked(_:required:optional:)`` has found to be present.
    package func value(_ name: String) -> JSONValue { self[name] ?? .null }
}
