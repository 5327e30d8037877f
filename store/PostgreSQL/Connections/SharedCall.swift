/// A statement that answers several askers at once.
///
/// Its parameters are those that all of them have in common, and then lists of arrays, whose elements are those of the
/// first asker, of the second one, and so on. The first array of each list has the places of its elements, and the
/// statement returns with each row, in the column ``placeColumn``, the place of the element that the row answers. A row
/// with a negative place answers all.
struct SharedCall: Sendable {
    /// An array for a parameter.
    struct Column: Sendable {
        fileprivate let elements: [[UInt8]]
        fileprivate let isText: Bool

        static func texts(_ elements: [[UInt8]]) -> Column { Column(elements: elements, isText: true) }

        static func blobs(_ elements: [[UInt8]]) -> Column { Column(elements: elements, isText: false) }
    }

    /// The elements of one asker in arrays of one length.
    struct List: Sendable {
        /// The asker's own numbers of the elements, from 0 up to ``mostPlaces``.
        let places: [Int]
        let columns: [Column]
    }

    /// The column in which the statement returns places.
    static let placeColumn: Int32 = 5
    /// The number of the places of one asker.
    static let mostPlaces = 1 << placeBits
    private static let placeBits = 20

    let sql: String
    let common: [Parameter]
    let lists: [List]

    /// Returns `true` if one statement can answer both.
    func isOfForm(of other: SharedCall) -> Bool { sql == other.sql && common == other.common }

    /// Returns the statement that answers askers of one form.
    static func joined(_ calls: [SharedCall]) -> Call {
        guard let first = calls.first else { return Call("") }
        var parameters = first.common
        for (list, content) in first.lists.enumerated() {
            var places: [Int64?] = []
            for (asker, call) in calls.enumerated() {
                for place in call.lists[list].places { places.append(Int64(asker << placeBits | place)) }
            }
            parameters.append(.integers(places))
            for (column, kind) in content.columns.enumerated() {
                let elements = calls.flatMap { $0.lists[list].columns[column].elements }
                parameters.append(kind.isText ? .texts(elements) : .blobs(elements))
            }
        }
        return Call(first.sql, parameters)
    }

    /// Returns the answer to each asker.
    static func answers(in rows: Rows, to askers: Int) -> [SharedAnswer] {
        var found = [[(row: Int32, place: Int)]](repeating: [], count: askers)
        var common: [Int32] = []
        for row in 0..<rows.count {
            let place = Int(rows.integer(row, placeColumn) ?? -1)
            let asker = place >> placeBits
            if found.indices.contains(asker) {
                found[asker].append((row, place & (mostPlaces - 1)))
            } else {
                common.append(row)
            }
        }
        return found.map { SharedAnswer(rows: rows, found: $0, common: common) }
    }
}

/// The rows of a statement that answer one asker.
struct SharedAnswer: Sendable {
    let rows: Rows
    /// The rows for this asker, with the places that they answer.
    let found: [(row: Int32, place: Int)]
    /// The rows for all askers.
    let common: [Int32]
}
