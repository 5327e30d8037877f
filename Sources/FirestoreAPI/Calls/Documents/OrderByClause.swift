import DocumentStore

/// The text by which a list is ordered, such as `n desc, __name__ desc`.
struct OrderByClause: CustomStringConvertible {
    /// The orders, the last of them by name.
    let orders: [Order]

    /// Parses the text. The empty text orders by name.
    ///
    /// - Throws: `INVALID_ARGUMENT` for any other text than fields with directions, separated by commas.
    init(_ text: String) throws(FirestoreStatus) {
        var orders: [Order] = []
        if !text.isEmpty {
            for part in Self.parts(text) { orders.append(try Self.order(part, of: text)) }
        }
        if orders.last?.field != .documentName {
            orders.append(Order(.documentName, orders.last?.direction ?? .ascending))
        }
        self.orders = orders
    }

    /// `true` if the order is by name only.
    var isByName: Bool { orders.count == 1 }

    /// The whole order in one form.
    var description: String {
        orders.map { $0.direction == .ascending ? "\($0.field) asc" : "\($0.field) desc" }.joined(separator: ",")
    }

    /// Returns the text between the commas that stand outside of back-quotes.
    private static func parts(_ text: String) -> [Substring] {
        var isQuoted = false
        var isEscaped = false
        return text.split(omittingEmptySubsequences: false) { character in
            defer { isEscaped = character == "\\" && !isEscaped }
            if character == "`", !isEscaped { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }

    private static func order(_ part: Substring, of text: String) throws(FirestoreStatus) -> Order {
        var field = part.drop { $0 == " " }
        while field.last == " " { field.removeLast() }
        var direction = Order.Direction.ascending
        if let space = field.lastIndex(of: " "), let named = Self.direction(field[field.index(after: space)...]) {
            direction = named
            field = field[..<space]
            while field.last == " " { field.removeLast() }
        }
        guard let path = try? FieldPath(parsing: String(field)) else {
            throw .invalid("Invalid order by clause \"\(text)\".")
        }
        return Order(path, direction)
    }

    private static func direction(_ word: Substring) -> Order.Direction? {
        switch word.lowercased() {
        case "asc": .ascending
        case "desc": .descending
        default: nil
        }
    }
}
