/// A count of the elements of a request before it is decoded: its values, names, and messages.
///
/// An element of two bytes becomes a message of hundreds. The count takes a fraction of the time and no memory.
struct ElementCount: Sendable {
    private(set) var elements = 0
    private var writes = 0
    /// The greatest number of writes; `nil` for a request without writes.
    private let mostWrites: Int?
    private let mostElements: Int

    init(mostWrites: Int?, mostElements: Int = RequestLimits.elements) {
        self.mostWrites = mostWrites
        self.mostElements = mostElements
    }

    /// Adds elements.
    ///
    /// - Throws: `INVALID_ARGUMENT` if there are too many.
    mutating func add(_ count: Int = 1) throws(FirestoreStatus) {
        elements += count
        guard elements <= mostElements else {
            throw .invalid("This request has at most \(mostElements) values, names and messages.")
        }
    }

    /// Adds a write to the number of writes, if the request has writes.
    ///
    /// - Throws: `INVALID_ARGUMENT` if there are too many.
    mutating func addWrite() throws(FirestoreStatus) {
        writes += 1
        guard let mostWrites, writes > mostWrites else { return }
        throw .invalid(
            "The request is too large: it has more than \(mostWrites) writes. Divide them among several requests.")
    }
}
