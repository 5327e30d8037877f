import DocumentStore

/// The documents that a client has of one target. Only their names and update times are kept.
struct TargetState {
    /// The effect of a change on a target.
    enum Effect {
        case entered(Document)
        /// The document left; it is `nil` if it does not exist any longer.
        case left(Document?)
    }

    let target: ListenTarget
    /// The documents in the target, with the times of the sent versions.
    private var versions: [DocumentPath: Timestamp] = [:]
    /// During a reading, the documents of the state before that have not been found yet.
    private var earlier: [DocumentPath: Timestamp] = [:]
    /// The time of the state that the client has. Earlier changes are part of it.
    private(set) var readTime = Timestamp.distantPast
    /// `true` if the target has to be read.
    private(set) var isStale = true
    /// `true` if the client has all documents.
    private(set) var isCurrent = false
    private var hasOtherCount = false

    init(_ target: ListenTarget) { self.target = target }
}

/// Following changes.
extension TargetState {
    /// Applies a change, unless the target has to be read anyway.
    mutating func apply(_ change: DocumentChange) -> Effect? {
        guard !isStale, change.time > readTime else { return nil }
        if target.isLimited {
            isStale = versions[change.path] != nil || target.isMoved(by: change)
            return nil
        }
        if let document = change.after, target.contains(document) {
            let sent = versions.updateValue(document.updateTime, forKey: change.path)
            return sent == document.updateTime ? nil : .entered(document)
        }
        return versions.removeValue(forKey: change.path) == nil ? nil : .left(change.after)
    }

    /// Notes that all changes up to a time were applied.
    mutating func advance(to time: Timestamp) {
        if !isStale { readTime = max(readTime, time) }
    }

    /// Notes that changes up to a time were missed.
    mutating func miss(upTo time: Timestamp) {
        if time > readTime { isStale = true }
    }
}

/// Reading the whole target: the documents that differ from the state before are sent.
extension TargetState {
    /// Begins to read the target.
    ///
    /// - Parameter versions: in the first reading, the documents that the client has from an earlier stream; `nil` if
    ///   it has none.
    mutating func beginReading(resumedFrom versions: [DocumentPath: Timestamp]?) {
        if isCurrent {
            earlier = self.versions
        } else if let versions {
            earlier = versions
            hasOtherCount = target.expectedCount.map { $0 != versions.count } ?? false
        } else if case .documents(let paths) = target.content {
            // Each document is sent, also those that do not exist.
            for path in paths { earlier[path] = .distantPast }
        }
        self.versions = [:]
    }

    /// Adds a document of the present state.
    ///
    /// - Returns: `true` if the client does not have this version.
    mutating func add(_ document: Document) -> Bool {
        versions[document.path] = document.updateTime
        return earlier.removeValue(forKey: document.path) != document.updateTime
    }

    /// Returns the documents that have left the target, after all others were added.
    mutating func takeDepartures() -> [DocumentPath] {
        defer { earlier = [:] }
        return Array(earlier.keys)
    }

    /// Ends the reading.
    ///
    /// - Returns: the number of documents, if the client has another number.
    mutating func finishReading(at time: Timestamp) -> Int? {
        defer { (isStale, isCurrent, hasOtherCount) = (false, true, false) }
        readTime = max(readTime, time)
        return hasOtherCount ? versions.count : nil
    }
}
