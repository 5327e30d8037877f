import DequeModule

/// The latest changes in the databases that keep versions, in the order of their times. The writer compares the reads
/// of transactions with them.
struct RecentChanges: Sendable {
    /// The life of a transaction in Firestore.
    private static let age = Duration.seconds(270)

    private let mostChanges: Int
    private let mostBytes: Int
    private var changes: Deque<ChangedDocument> = []
    private var bytes = 0
    /// The time after which all changes are here.
    private var start: Timestamp
    /// The last removal of all documents of each database.
    private var removals: [DatabaseID: Timestamp] = [:]

    init(since start: Timestamp, mostChanges: Int = 50_000, mostBytes: Int = 16_777_216) {
        self.start = start
        self.mostChanges = mostChanges
        self.mostBytes = mostBytes
    }

    /// Adds the changes of the databases that keep versions, and forgets the oldest changes beyond the limits.
    mutating func append(_ new: ChangedDocuments) {
        for removal in new.removals { removals[removal.database] = removal.time }
        for change in new.all where new.versioned.contains(change.database) {
            let change = change.encoded
            changes.append(change)
            bytes += change.size
        }
        guard let last = changes.last?.time else { return }
        let end = last.adding(.zero - Self.age)
        while let first = changes.first, first.time < end || changes.count > mostChanges || bytes > mostBytes {
            start = first.time
            bytes -= first.size
            changes.removeFirst()
        }
    }

    /// Returns `true` if a change since the reads concerns one of them; `nil` if changes since then were forgotten.
    func conflicts(with reads: TransactionReads, in database: DatabaseID) -> Bool? {
        if let time = removals[database], time > reads.time { return true }
        guard reads.time >= start else { return nil }
        return reads.conflict(with: changes[firstIndex(after: reads.time)...].lazy.filter { $0.database == database })
    }

    /// Returns the position of the first change after a time.
    private func firstIndex(after time: Timestamp) -> Int {
        var range = changes.startIndex..<changes.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = changes[middle].time > time ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}

extension ChangedDocument {
    /// The change without decoded fields, which take more memory than their text.
    fileprivate var encoded: ChangedDocument {
        ChangedDocument(database: database, path: path, before: before?.encoded, after: after?.encoded, time: time)
    }

    /// The bytes in memory, about.
    fileprivate var size: Int {
        path.description.utf8.count + (before?.json.count ?? 0) + (after?.json.count ?? 0) + 300
    }
}

extension StoredDocument {
    fileprivate var encoded: StoredDocument {
        StoredDocument(json: json, createTime: createTime, updateTime: updateTime, knownFields: nil)
    }
}
