import DocumentStore

/// The changes of a group of commits in a database that keeps no versions: lists of times and paths, each the text of
/// one row of the table `changes`. Such a row has no path of its own.
///
/// A list is the time, the sizes of the two parts of the path, and these parts, for each change.
enum PackedChanges {
    /// A changed document, with the columns of its path.
    struct Change: Equatable, Sendable {
        let time: Timestamp
        let parent: [UInt8]
        let document: [UInt8]
    }

    /// The size of a text from which on the next change begins another one: PostgreSQL compresses rows of more than
    /// 2,000 bytes.
    private static let enough = 1_600

    /// Returns the texts of changes, each with the time of its last one.
    static func packed(_ changes: [Change]) -> [(time: Timestamp, text: [UInt8])] {
        var texts: [(time: Timestamp, text: [UInt8])] = []
        var text: [UInt8] = []
        for (number, change) in changes.enumerated() {
            text += "\(change.time.microseconds) \(change.parent.count) \(change.document.count) ".utf8
            text += change.parent
            text += change.document
            guard text.count >= enough || number == changes.count - 1 else { continue }
            texts.append((change.time, text))
            text = []
        }
        return texts
    }

    /// Returns the changes of a text.
    ///
    /// - Throws: `DATA_LOSS` if no engine writes such a text.
    static func unpacked(_ text: [UInt8]) throws(StoreError) -> [Change] {
        var changes: [Change] = []
        var rest = text[...]
        while !rest.isEmpty {
            guard let time = rest.takeNumber(), let parent = rest.takeNumber(), let document = rest.takeNumber(),
                parent > 0, document > 0, parent < rest.count, document <= Int64(rest.count) - parent
            else { throw StoreError(.dataLoss, "a row of changes cannot be read") }
            changes.append(
                Change(
                    time: Timestamp(microseconds: time), parent: Array(rest.prefix(Int(parent))),
                    document: Array(rest.dropFirst(Int(parent)).prefix(Int(document)))))
            rest = rest.dropFirst(Int(parent + document))
        }
        return changes
    }
}

extension PackedChanges.Change {
    var path: DocumentPath {
        DocumentPath(
            unchecked: PathText.joined(
                StoredName.decode(String(decoding: parent, as: UTF8.self)),
                StoredName.decode(String(decoding: document, as: UTF8.self))))
    }
}

extension ArraySlice<UInt8> {
    /// Removes a number and the space after it; `nil` if there is none.
    fileprivate mutating func takeNumber() -> Int64? {
        guard let end = firstIndex(of: UInt8(ascii: " ")) else { return nil }
        defer { self = self[(end + 1)...] }
        return Int64(String(decoding: self[..<end], as: UTF8.self))
    }
}
