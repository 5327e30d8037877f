internal import DocumentStore

/// The entries of a settled chunk as a text and a list: kept for a week, times as many as were notified, they are what the
/// disk fills up with.
///
/// In the text a target is the registration's id (or its path, in chunks of several collections), a space, and the
/// milliseconds between its settling and the chunk's; once rejected another space and the number of its outcome in the
/// list. Attempts that failed follow, each after a comma: milliseconds, a space and the number of the outcome. A
/// semicolon stands between targets. An outcome is a code, a space and a reason: `invalid-argument BadTopic`.
///
/// `my-phone 12;your-phone 3 0,2410 1`
struct SettledTargets {
    let text: String
    let outcomes: [String]

    init(text: String, outcomes: [String]) {
        self.text = text
        self.outcomes = outcomes
    }

    /// - Parameters:
    ///   - collection: the one that all registrations are in, if there is one.
    ///   - settledAt: the chunk's.
    init(_ entries: [Chunk.Entry], below collection: CollectionPath?, settledAt: Timestamp) {
        var writer = Writer(collection: collection, settledAt: settledAt)
        for (index, entry) in entries.enumerated() { writer.append(entry, isFirst: index == 0) }
        self.init(text: writer.text, outcomes: writer.outcomes)
    }

    /// The entries, or `nil` if the text is not of this form.
    func entries(below collection: CollectionPath?, settledAt: Timestamp) -> [Chunk.Entry]? {
        guard !text.isEmpty else { return [] }
        let targets = Substring(text).parts(separatedBy: ";")
        let entries = targets.compactMap { entry($0, collection, settledAt) }
        return entries.count == targets.count ? entries : nil
    }

    private func entry(_ text: Substring, _ collection: CollectionPath?, _ settledAt: Timestamp) -> Chunk.Entry? {
        let parts = text.parts(separatedBy: ",")
        let target = parts[0].parts(separatedBy: " ")
        guard (2...3).contains(target.count), let name = SettledName.decode(target[0]) else { return nil }
        var state = Chunk.State.accepted
        if target.count == 3 {
            guard let outcome = outcome(target[2]) else { return nil }
            state = .rejected(code: outcome.code, reason: outcome.reason)
        }
        let registration = name.isEmpty ? nil : Self.registration(name, below: collection)
        guard name.isEmpty == (registration == nil) else { return nil }
        guard let time = time(target[1], before: settledAt) else { return nil }
        var entry = Chunk.Entry(registration: registration, state: state)
        entry.settledAt = time
        entry.failures = parts.dropFirst().compactMap { failure($0, settledAt) }
        return entry.failures.count == parts.count - 1 ? entry : nil
    }

    private func failure(_ text: Substring, _ settledAt: Timestamp) -> Chunk.FailedAttempt? {
        let parts = text.parts(separatedBy: " ")
        guard parts.count == 2, let at = time(parts[0], before: settledAt), let outcome = outcome(parts[1]) else {
            return nil
        }
        return Chunk.FailedAttempt(at: at, code: outcome.code, reason: outcome.reason)
    }

    private func time(_ milliseconds: Substring, before time: Timestamp) -> Timestamp? {
        Int64(milliseconds).map { time.adding(.zero - .milliseconds($0)) }
    }

    private func outcome(_ number: Substring) -> (code: String, reason: String)? {
        guard let number = Int(number), outcomes.indices.contains(number) else { return nil }
        let parts = Substring(outcomes[number]).parts(separatedBy: " ", maxSplits: 1)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }

    /// An id below the collection has no slash in it, and a path always has one.
    private static func registration(_ name: String, below collection: CollectionPath?) -> DocumentPath? {
        if name.utf8.contains(UInt8(ascii: "/")) { return try? DocumentPath(name) }
        return try? collection?.document(name)
    }
}

extension SettledTargets {
    private struct Writer {
        let collection: CollectionPath?
        let settledAt: Timestamp
        var text = ""
        var outcomes: [String] = []
        var numbers: [String: Int] = [:]

        mutating func append(_ entry: Chunk.Entry, isFirst: Bool) {
            if !isFirst { text += ";" }
            if let registration = entry.registration {
                let isBelow = collection.map(registration.isIn) ?? false
                text += SettledName.encode(isBelow ? registration.id : registration.description)
            }
            text += " \(milliseconds(since: entry.settledAt))"
            if case .rejected(let code, let reason) = entry.state { text += " \(number(code, reason))" }
            for failure in entry.failures {
                text += ",\(milliseconds(since: failure.at)) \(number(failure.code, failure.reason))"
            }
        }

        private func milliseconds(since time: Timestamp?) -> Int64 {
            time.map { (settledAt.microseconds - $0.microseconds) / 1_000 } ?? 0
        }

        private mutating func number(_ code: String, _ reason: String) -> Int {
            let outcome = "\(code) \(reason)"
            if let number = numbers[outcome] { return number }
            numbers[outcome] = outcomes.count
            outcomes.append(outcome)
            return outcomes.count - 1
        }
    }
}

extension Substring {
    /// By bytes: as a character, a separator would be one with what combines with it in an id.
    fileprivate func parts(separatedBy separator: Unicode.Scalar, maxSplits: Int = .max) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator), maxSplits: maxSplits, omittingEmptySubsequences: false)
            .map { Substring($0) }
    }
}
