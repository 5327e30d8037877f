import DocumentStore

/// The entries of a settled chunk as a text and a list, in a compact form: they are kept for a week, one for each
/// notification, and take most of the disk space.
///
/// In the text a target is the registration's id (or its path, in chunks of several collections), a space, and the
/// milliseconds from its settlement to the chunk's. A rejected target has another space and the number of its outcome
/// in the list, and a superseded one a space and a tilde. Failed attempts follow, each after a comma: milliseconds, a
/// space, and the number of the outcome. A semicolon separates targets. An outcome is a code, a space and a reason:
/// `invalid-argument BadTopic`.
///
/// `my-phone 12;your-phone 3 0,2410 1`
struct SettledTargets {
    let text: String
    let outcomes: [String]

    private static let superseded: Substring = "~"

    init(text: String, outcomes: [String]) {
        self.text = text
        self.outcomes = outcomes
    }

    /// Encodes entries.
    ///
    /// - Parameters:
    ///   - collection: the collection of all registrations, if there is only one.
    ///   - settledAt: the time at which the chunk settled.
    init(_ entries: [Chunk.Entry], below collection: CollectionPath?, settledAt: Timestamp) {
        var writer = Writer(collection: collection, settledAt: settledAt)
        for (index, entry) in entries.enumerated() { writer.append(entry, isFirst: index == 0) }
        self.init(text: writer.text, outcomes: writer.outcomes)
    }

    /// Returns the entries, or `nil` if the text does not have this form.
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
            if target[2] == Self.superseded {
                state = .superseded
            } else {
                guard let outcome = outcome(target[2]) else { return nil }
                state = .rejected(code: outcome.code, reason: outcome.reason)
            }
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

    /// Returns the path of a name. An id in the collection contains no slash, and a path always does.
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
            text += " "
            text += String(milliseconds(since: entry.settledAt))
            switch entry.state {
            case .rejected(let code, let reason): text += " \(number(code, reason))"
            case .superseded: text += " \(SettledTargets.superseded)"
            case .accepted, .pending: break
            }
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
    /// Splits by bytes: as a character, a separator would merge with a combining character that begins an id.
    fileprivate func parts(separatedBy separator: Unicode.Scalar, maxSplits: Int = .max) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator), maxSplits: maxSplits, omittingEmptySubsequences: false)
            .map { Substring($0) }
    }
}

/// The coding of an id or a path within the text of ``SettledTargets``. It percent-encodes (RFC 3986 §2.1) the
/// separators, the characters that JSON would escape, and the percent sign itself.
enum SettledName {
    static func encode(_ name: String) -> String {
        guard name.utf8.contains(where: isEscaped) else { return name }
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            if isEscaped(byte) {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the name, or `nil` if the text is not an encoded name.
    static func decode(_ text: Substring) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let escaped = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F, UInt8(ascii: "%"), UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "\""),
            UInt8(ascii: "\\"):
            true
        default: false
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}

/// The approximate size of settled messages on disk, to within about a tenth: the texts, and the average size of a
/// row, its keys and its index entries.
enum KeptBytes {
    private static let chunkOverhead = 700
    private static let messageOverhead = 1_000

    /// Returns the size of a chunk; the first chunk of a message includes the message's own size.
    static func of(_ settled: SettledTargets, in chunk: Chunk, _ message: AcceptedMessage) -> Int {
        let own = settled.outcomes.reduce(settled.text.utf8.count + chunkOverhead) { $0 + $1.utf8.count + 20 }
        return chunk.id.number == 0 ? own + message.text.utf8.count + messageOverhead : own
    }
}
