/// The contents of some keys, as they were read, and the reads that are under way for others. It does no I/O.
///
/// A content is known until its key begins to change. A read that began before the change has ended, or ends before
/// that, keeps nothing. So a known content is always the present one.
///
/// The contents are in two generations. What is read or used is in the young one; ``age()`` makes that the old one, and
/// drops what was in the old one until then. So what is used stays, and to drop the rest costs no search.
struct CacheTable<Key: Hashable & Sendable, Content: Sendable>: Sendable {
    /// A content, and the bytes that it takes in memory.
    struct Entry: Sendable {
        let content: Content
        let bytes: Int
    }

    private struct Generation: Sendable {
        private var entries: [Key: Entry] = [:]
        private(set) var bytes = 0

        var isEmpty: Bool { entries.isEmpty }

        func content(of key: Key) -> Content? { entries[key]?.content }

        mutating func put(_ entry: Entry, at key: Key) {
            bytes += entry.bytes - (entries.updateValue(entry, forKey: key)?.bytes ?? 0)
        }

        /// Removes and returns an entry, if there is one.
        @discardableResult
        mutating func take(_ key: Key) -> Entry? {
            guard !entries.isEmpty, let entry = entries.removeValue(forKey: key) else { return nil }
            bytes -= entry.bytes
            return entry
        }
    }

    /// The reads under way for a key.
    private struct Reading: Sendable {
        var readers = 0
        /// The number of beginnings and ends of changes since the first of them.
        var version = 0
    }

    /// The number of changing keys for which memory is kept after their change.
    private static var usualChanges: Int { 1_000 }

    private var (young, old) = (Generation(), Generation())
    private var readings: [Key: Reading] = [:]
    /// The keys that are changing.
    private var changing: Set<Key> = []

    /// The bytes of all contents.
    var bytes: Int { young.bytes + old.bytes }

    /// The bytes of the contents that were read or used since the last call of ``age()``.
    var youngBytes: Int { young.bytes }

    /// `true` if nothing is known, and nothing is read or changing.
    var isEmpty: Bool { young.isEmpty && old.isEmpty && readings.isEmpty && changing.isEmpty }

    /// Returns the content of a key; `nil` if it is not known.
    mutating func content(of key: Key) -> Content? {
        if let content = young.content(of: key) { return content }
        guard let entry = old.take(key) else { return nil }
        young.put(entry, at: key)
        return entry.content
    }

    /// Begins a read, which ``endReading(_:since:with:)`` ends.
    ///
    /// - Returns: the version of the key.
    mutating func beginReading(_ key: Key) -> Int {
        var reading = readings[key] ?? Reading()
        reading.readers += 1
        readings[key] = reading
        return reading.version
    }

    /// Ends a read.
    ///
    /// - Parameters:
    ///   - version: the version of the key when the read began.
    ///   - entry: the result; `nil` if there is none to keep.
    mutating func endReading(_ key: Key, since version: Int, with entry: Entry?) {
        guard var reading = readings[key] else { return }
        reading.readers -= 1
        readings[key] = reading.readers > 0 ? reading : nil
        guard let entry, reading.version == version, !changing.contains(key) else { return }
        old.take(key)
        young.put(entry, at: key)
    }

    /// Begins a change of a key, which ``endChanges()`` ends.
    mutating func beginChange(_ key: Key) {
        changing.insert(key)
        forget(key)
    }

    /// Ends the changes of all keys.
    mutating func endChanges() {
        for key in changing { forget(key) }
        changing.removeAll(keepingCapacity: changing.count <= Self.usualChanges)
    }

    /// Forgets the contents of all keys, and those that are being read.
    mutating func forgetAll() {
        (young, old) = (Generation(), Generation())
        for key in readings.keys { readings[key]?.version += 1 }
    }

    /// Forgets the content of a key, and what is being read.
    mutating func forget(_ key: Key) {
        if young.take(key) == nil { old.take(key) }
        // Not by `readings[key]?`, which allocates memory for a key without reads too.
        guard var reading = readings[key] else { return }
        reading.version += 1
        readings[key] = reading
    }

    /// Makes the young generation the old one, and drops the contents that were not used since the last call.
    mutating func age() { (young, old) = (Generation(), young) }
}
