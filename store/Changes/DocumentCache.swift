import Metrics
import Synchronization

/// The documents below one root collection, as they were read, decoded, for as long as no commit changes them.
///
/// The writer announces its changes before they are visible to readers, and again when they are. With the first
/// announcement the cache forgets what the changes concern, and until the second it keeps nothing of that. A read that
/// began before either is not kept. So an answer has all that is visible, in particular each commit whose caller has
/// its result, and is from one state.
///
/// Of an engine that shares its databases, the cache does not learn of what others change before this engine commits
/// the next time. So an answer from memory then has a ``Mark``, and counts only with a commit that depends on it.
package final class DocumentCache: Sendable {
    /// The usual bound of the memory, 64 MiB: about 20,000 servers with an agent and a device each.
    package static let usualBytes = 64 << 20
    /// The part of the memory that one answer may take.
    private static let greatestShare = 16

    private typealias DocumentTable = CacheTable<DocumentPath, Document>
    private typealias CollectionTable = CacheTable<CollectionPath, [Document]>

    /// The condition under which an answer from memory is the present one.
    package struct Mark: Sendable {
        /// The period of the engine's commits at the answer.
        package let period: CommitPeriod
        /// Returns `false` if others have changed what the answer has, as far as the engine knows.
        package let isCurrent: @Sendable () -> Bool

        package init(period: CommitPeriod, isCurrent: @escaping @Sendable () -> Bool) {
            self.period = period
            self.isCurrent = isCurrent
        }
    }

    private struct State {
        /// `true` between the announcements of changes that concern the cache.
        var isChanging = false
        /// `true` between the announcements of the removal of all documents.
        var isRemoving = false
        var documents = DocumentTable()
        var collections = CollectionTable()
        /// The period of the engine's commits, if others may change the database.
        var period = CommitPeriod()
        /// The changes by others that are known.
        var others = OthersChanges()

        var bytes: Int { documents.bytes + collections.bytes }
        var youngBytes: Int { documents.youngBytes + collections.youngBytes }

        mutating func forgetAll() {
            documents.forgetAll()
            collections.forgetAll()
        }
    }

    /// A read under way: the versions of the keys.
    private struct Reading: Sendable {
        let documents: [Int]
        let collection: Int
    }

    /// An answer to keep.
    private struct Entries: Sendable {
        let documents: [DocumentTable.Entry]
        let collection: CollectionTable.Entry

        var bytes: Int { documents.reduce(collection.bytes) { $0 + $1.bytes } }
    }

    private enum Lookup: Sendable {
        case known(named: [Document?], matching: [Document], mark: Mark?)
        case missing(Reading)
    }

    private let database: DatabaseID
    /// The beginning of the paths of all documents that are kept.
    private let prefix: String
    private let mostBytes: Int
    /// `true` if other engines may change the database.
    private let isShared: Bool
    private let state = Mutex(State())
    private let hits = Counter(label: "pushgate_store_cached_reads_total", dimensions: [("result", "hit")])
    private let misses = Counter(label: "pushgate_store_cached_reads_total", dimensions: [("result", "miss")])

    /// Makes an empty cache. An engine does, and announces the changes to it.
    ///
    /// - Parameters:
    ///   - root: the id of the root collection.
    ///   - mostBytes: the bound of the memory, by an estimate.
    ///   - isShared: `true` if other engines may change the database.
    package init(of root: String, in database: DatabaseID, mostBytes: Int, isShared: Bool = false) {
        self.database = database
        prefix = root + "/"
        self.mostBytes = mostBytes
        self.isShared = isShared
    }

    /// The bytes of what is kept, as estimated.
    var bytes: Int { state.withLock(\.bytes) }

    /// `true` if nothing is kept, and nothing is read or changing.
    var isEmpty: Bool { state.withLock { $0.documents.isEmpty && $0.collections.isEmpty } }

    /// Returns the documents at some paths and all of a collection, as of one moment. If some of them are not kept, all
    /// are read, and kept if all documents at the paths exist and the collection is not larger than given.
    ///
    /// - Parameters:
    ///   - most: the number of documents up to which the collection is kept.
    ///   - read: reads the documents at the paths, perhaps with more behind them, and those of the collection, from one
    ///     state that contains all commits before the call.
    /// - Returns: the documents. With a mark, they may be outdated, and count only with a commit that depends on it.
    package func documents(
        at paths: [DocumentPath], all collection: CollectionPath, upTo most: Int,
        orRead read: () async throws(StoreError) -> (named: [Document?], matching: [Document])
    ) async throws(StoreError) -> (named: [Document?], matching: [Document], mark: Mark?) {
        switch lookUp(paths, collection, upTo: most) {
        case .known(let named, let matching, let mark):
            hits.increment()
            return (named, matching, mark)
        case .missing(let reading):
            misses.increment()
            do throws(StoreError) {
                let answer = try await read()
                end(reading, of: paths, collection, with: entries(answer, at: paths, collection, upTo: most))
                return (answer.named, answer.matching, nil)
            } catch {
                end(reading, of: paths, collection, with: nil)
                throw error
            }
        }
    }

    private func lookUp(_ paths: [DocumentPath], _ collection: CollectionPath, upTo most: Int) -> Lookup {
        state.withLock { state in
            if let known = Self.known(paths, collection, upTo: most, in: &state) {
                boundMemory(&state)
                let mark = isShared ? newMark(for: paths, collection, in: state) : nil
                return .known(named: known.named, matching: known.matching, mark: mark)
            }
            return .missing(
                Reading(
                    documents: paths.map { state.documents.beginReading($0) },
                    collection: state.collections.beginReading(collection)))
        }
    }

    private func newMark(for paths: [DocumentPath], _ collection: CollectionPath, in state: State) -> Mark {
        let position = state.others.position
        return Mark(period: state.period) { [self] in
            self.state.withLock { !$0.others.concern(paths, collection, after: position) }
        }
    }

    /// Ages the contents once the young generation has half of the memory, but for one answer more.
    private func boundMemory(_ state: inout State) {
        guard state.youngBytes > mostBytes / 2 - mostBytes / Self.greatestShare else { return }
        state.documents.age()
        state.collections.age()
    }

    private static func known(
        _ paths: [DocumentPath], _ collection: CollectionPath, upTo most: Int, in state: inout State
    ) -> (named: [Document?], matching: [Document])? {
        guard let matching = state.collections.content(of: collection), matching.count <= most else { return nil }
        var named: [Document?] = []
        named.reserveCapacity(paths.count)
        for path in paths {
            guard let document = state.documents.content(of: path) else { return nil }
            named.append(document)
        }
        return (named, matching)
    }

    private func end(
        _ reading: Reading, of paths: [DocumentPath], _ collection: CollectionPath, with entries: Entries?
    ) {
        state.withLock { state in
            let kept = state.isRemoving ? nil : entries
            for (position, path) in paths.enumerated() {
                state.documents.endReading(
                    path, since: reading.documents[position], with: kept?.documents[position])
            }
            state.collections.endReading(collection, since: reading.collection, with: kept?.collection)
            boundMemory(&state)
        }
    }

    /// Returns an answer with its sizes; `nil` if it is not to be kept.
    private func entries(
        _ answer: (named: [Document?], matching: [Document]), at paths: [DocumentPath], _ collection: CollectionPath,
        upTo most: Int
    ) -> Entries? {
        // Documents that are missing can be named without end.
        let documents = answer.named.prefix(paths.count).compactMap(\.self)
        guard documents.count == paths.count, answer.matching.count <= most,
            collection.description.beginsWithBytes(of: prefix), paths.allSatisfy(isKept)
        else { return nil }
        let entries = Entries(
            documents: documents.map { DocumentTable.Entry(content: $0, bytes: $0.memory) },
            collection: CollectionTable.Entry(
                content: answer.matching,
                bytes: answer.matching.reduce(Document.overhead + collection.description.utf8.count) {
                    $0 + $1.memory
                }))
        return entries.bytes <= mostBytes / Self.greatestShare ? entries : nil
    }

    private func isKept(_ path: DocumentPath) -> Bool { path.description.beginsWithBytes(of: prefix) }
}

/// The side of the writer, which announces one group of changes at a time.
extension DocumentCache {
    /// Forgets what some changes concern. Call it before they are visible.
    func willChange(_ changes: ChangedDocuments) {
        let isRemoved = changes.removals.contains { $0.database == database }
        guard isRemoved || changes.all.contains(where: concerns) else { return }
        state.withLock { state in
            (state.isChanging, state.isRemoving) = (true, isRemoved)
            if isRemoved { state.forgetAll() }
            for change in changes.all where concerns(change) {
                state.documents.beginChange(change.path)
                state.collections.beginChange(change.path.collection)
            }
        }
    }

    /// Keeps what is read from now on. Call it when the changes are visible, or if they never will be.
    func didChange() {
        state.withLock { state in
            guard state.isChanging else { return }
            if state.isRemoving { state.forgetAll() }
            (state.isChanging, state.isRemoving) = (false, false)
            state.documents.endChanges()
            state.collections.endChanges()
        }
    }

    /// Forgets what another engine has changed, and begins the period after it. A read of that keeps nothing if it
    /// began before.
    ///
    /// - Parameter paths: the documents that were changed; `nil` if they are not known, so that all is forgotten.
    func begin(_ period: CommitPeriod, afterChangesAt paths: [DocumentPath]?) {
        state.withLock { state in
            state.period = period
            guard let paths else {
                state.others.noteUnknown()
                return state.forgetAll()
            }
            for path in paths where isKept(path) {
                state.others.note(path)
                state.documents.forget(path)
                state.collections.forget(path.collection)
            }
        }
    }

    private func concerns(_ change: ChangedDocument) -> Bool { isKept(change.path) && change.database == database }
}

/// The caches of the databases of an engine.
package final class DocumentCaches: Sendable {
    private struct State {
        var caches: [DocumentCache] = []
        /// The changes between their announcements.
        var changes: ChangedDocuments?
        var period = CommitPeriod()
    }

    private let state = Mutex(State())

    /// Makes a list of no caches.
    package init() {}

    /// Adds a cache for the life of the engine.
    package func add(_ cache: DocumentCache) {
        state.withLock { state in
            state.caches.append(cache)
            cache.begin(state.period, afterChangesAt: nil)
            if let changes = state.changes { cache.willChange(changes) }
        }
    }

    /// Begins a period of the engine's commits, after another engine has changed the database.
    ///
    /// - Parameter paths: the documents that were changed; `nil` if they are not known.
    package func begin(_ period: CommitPeriod, afterChangesAt paths: [DocumentPath]?) {
        let caches = state.withLock { state -> [DocumentCache] in
            state.period = period
            return state.caches
        }
        for cache in caches { cache.begin(period, afterChangesAt: paths) }
    }

    /// Announces changes that are not visible yet.
    package func willChange(_ changes: ChangedDocuments) {
        let caches = state.withLock { state -> [DocumentCache] in
            state.changes = changes
            return state.caches
        }
        for cache in caches { cache.willChange(changes) }
    }

    /// Announces that the changes are visible, or never will be.
    package func didChange() {
        let caches = state.withLock { state -> [DocumentCache] in
            defer { state.changes = nil }
            return state.changes == nil ? [] : state.caches
        }
        for cache in caches { cache.didChange() }
    }
}

extension Document {
    /// The bytes of a document and its place in a table, beside its path and its fields.
    fileprivate static let overhead = 250
    /// The bytes of a decoded field, for each byte that Firestore counts for it.
    private static let expansion = 2

    /// The bytes in memory, as measured with 10,000 documents of servers, agents and devices.
    fileprivate var memory: Int {
        Self.overhead + path.description.utf8.count + Self.expansion * StorageSize.fields(fields)
    }
}
