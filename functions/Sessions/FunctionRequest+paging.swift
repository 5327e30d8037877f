internal import Messaging

/// The parameters of lists.
extension FunctionRequest {
    /// Far beyond any list, and far below what could overflow.
    private static let largestOffset = 1_000_000_000

    /// Returns how many elements a list is to have at most; what is over the bound is the bound.
    func limit(_ standard: Int, atMost bound: Int = 200) throws(SessionsError) -> Int {
        guard let limit = try wholeNumber("limit", from: 1, otherwise: bound) else { return standard }
        return min(limit, bound)
    }

    /// Returns how many elements a list is to leave out at its beginning.
    func offset() throws(SessionsError) -> Int {
        min(try wholeNumber("offset", from: 0, otherwise: Self.largestOffset) ?? 0, Self.largestOffset)
    }

    /// Returns whether a parameter is there and says `true` or `1`.
    func flag(_ name: String) throws(SessionsError) -> Bool {
        switch query[name]?.lowercased() {
        case nil, "", "false", "0": false
        case "true", "1": true
        default: throw .badRequest("\(name) must be true or false")
        }
    }

    /// - Parameter large: stands for a number of more digits than an `Int` has.
    private func wholeNumber(
        _ name: String, from smallest: Int, otherwise large: Int
    ) throws(SessionsError) -> Int? {
        guard let text = query[name], !text.isEmpty else { return nil }
        guard text.utf8.allSatisfy(\.isASCIIDigit),
            case let number = Int(text) ?? large, number >= smallest
        else { throw .badRequest("\(name) must be a whole number, \(smallest) or more") }
        return number
    }
}
