/// A look at the encoded message of a request, which counts its elements and refuses repetitions that are slow to
/// decode.
struct MessageScan {
    /// A message whose end has not been reached.
    private struct Level {
        let kind: ListedMessage
        /// The fields that are no lists and have been read: a bit for each number.
        var seen: UInt32 = 0
        let end: Int
    }

    /// The depth of messages beyond which no decoder follows.
    private static let deepest = 400

    private let bytes: [UInt8]
    private var index = 0
    private var levels: [Level]
    private var count: ElementCount

    private init(_ bytes: [UInt8], _ kind: ListedMessage) {
        self.bytes = bytes
        levels = [Level(kind: kind, end: bytes.count)]
        count = ElementCount(mostWrites: kind.mostWrites, mostElements: kind.mostElements)
    }

    /// Counts the elements of a message.
    ///
    /// - Parameter name: the message's name in the proto.
    /// - Returns: `nil` if the message is malformed.
    /// - Throws: `INVALID_ARGUMENT` if it has too many elements, too many writes, or a field twice that is no list.
    static func elements(of bytes: [UInt8], named name: String) throws(FirestoreStatus) -> Int? {
        guard let kind = ListedMessage(request: name) else { return 0 }
        var scan = MessageScan(bytes, kind)
        return try scan.run() ? scan.count.elements : nil
    }

    /// Reads the fields of all levels.
    ///
    /// - Returns: `false` if one is malformed.
    private mutating func run() throws(FirestoreStatus) -> Bool {
        while let level = levels.last {
            if index == level.end {
                levels.removeLast()
            } else {
                guard try readField(of: level), index <= level.end else { return false }
            }
        }
        return true
    }

    private mutating func readField(of level: Level) throws(FirestoreStatus) -> Bool {
        guard let tag = varint() else { return false }
        switch tag & 7 {
        case 0: return varint() != nil
        case 1: index += 8
        case 2: return try readContent(ofField: tag >> 3, of: level)
        case 5: index += 4
        // No message of Firestore has groups.
        default: return false
        }
        return true
    }

    private mutating func readContent(ofField number: UInt64, of level: Level) throws(FirestoreStatus) -> Bool {
        guard let length = varint().flatMap({ Int(exactly: $0) }), length <= level.end - index else { return false }
        guard let content = level.kind.content(ofField: number) else {
            index += length
            return true
        }
        if !level.kind.isList(number) { try note(number) }
        if !content.isPartOfValue { try count.add() }
        if content == .write { try count.addWrite() }
        if content == .leaf {
            index += length
        } else {
            levels.append(Level(kind: content, end: index + length))
        }
        return levels.count <= Self.deepest
    }

    /// Notes a field that is no list in the message that is being read.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the message has it already. No client sends it twice. A decoder would merge the
    ///   two, for which it copies all elements of the first one, and a request has room for a million repetitions.
    private mutating func note(_ number: UInt64) throws(FirestoreStatus) {
        let (bit, last) = (UInt32(1) << number, levels.count - 1)
        guard levels[last].seen & bit == 0 else {
            throw .invalid("A message of the request has a field twice that is no list.")
        }
        levels[last].seen |= bit
    }

    private mutating func varint() -> UInt64? {
        var (value, shift) = (UInt64(0), UInt64(0))
        while shift < 64, index < bytes.count {
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            guard byte > 0x7F else { return value }
            shift += 7
        }
        return nil
    }
}
