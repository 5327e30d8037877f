internal import JSON

/// A message as its JSON, for keeping many: in memory a message of many small values takes over ten times as much as its
/// text.
struct EncodedMessage: Sendable {
    private let bytes: [UInt8]

    init(_ message: Message) { bytes = message.encodedJSON }

    /// The size of the text, in bytes.
    var count: Int { bytes.count }

    /// The message, decoded at each call.
    var message: Message {
        // It is what this type has written, as deep as a message can be.
        (try? JSONValue(parsing: bytes, maximumDepth: .max)).map(Message.init(json:)) ?? Message()
    }
}

extension Int {
    /// The size of an entry of an emulator's log beside its texts, in bytes: itself, and the headers of objects it
    /// refers to.
    static let logEntryOverhead = 1_024
}
