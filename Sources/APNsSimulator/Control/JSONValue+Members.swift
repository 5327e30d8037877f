import JSON

/// Values of members in a request's body: the right kind, or an error that names the member.
extension JSONValue {
    init(_ number: Int) { self = .integer(Int64(number)) }

    func number(_ name: String, in range: ClosedRange<Int>) throws(ControlError) -> Int {
        guard let number = integer.map(Int.init), range.contains(number) else {
            throw .badRequest("\(name) is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func numberOrNull(_ name: String, in range: ClosedRange<Int>) throws(ControlError) -> Int? {
        self == .null ? nil : try number(name, in: range)
    }

    func text(_ name: String) throws(ControlError) -> String {
        guard let string else { throw .badRequest("\(name) is not a string") }
        return string
    }

    func textOrNull(_ name: String) throws(ControlError) -> String? {
        self == .null ? nil : try text(name)
    }

    func flag(_ name: String) throws(ControlError) -> Bool {
        guard let bool else { throw .badRequest("\(name) is neither true nor false") }
        return bool
    }

    func elements(_ name: String) throws(ControlError) -> [JSONValue] {
        guard let array else { throw .badRequest("\(name) is not an array") }
        return array
    }

    func members(_ name: String) throws(ControlError) -> JSONObject {
        guard let object else { throw .badRequest("\(name) is not a JSON object") }
        return object
    }

    /// A duration in milliseconds, up to an hour.
    func milliseconds(_ name: String) throws(ControlError) -> Duration {
        .milliseconds(try number(name, in: 0...3_600_000))
    }
}
