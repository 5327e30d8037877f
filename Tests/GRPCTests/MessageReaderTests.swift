import NIOCore
import Testing

@testable import GRPC

@Suite("Messages of gRPC in bytes")
struct MessageReaderTests {
    private var reader = MessageReader(maximumBytes: 10, memory: MessageMemory())

    private mutating func receive(_ bytes: [UInt8]) throws(GRPCStatus) -> [[UInt8]] {
        reader.receive(ByteBuffer(bytes: bytes))
        var messages: [[UInt8]] = []
        while let message = try reader.next() { messages.append(try message.decoded()) }
        return messages
    }

    @Test("A message that arrives byte by byte is read once, at its last byte")
    mutating func bytes() throws {
        let bytes: [UInt8] = [0, 0, 0, 0, 2, 7, 8]
        for byte in bytes.dropLast() {
            #expect(try receive([byte]) == [])
            #expect(reader.isWithinMessage)
        }
        #expect(try receive([8]) == [[7, 8]])
        #expect(!reader.isWithinMessage)
    }

    @Test("Several messages in one piece are read in order, and the empty one is not lost")
    mutating func several() throws {
        #expect(try receive([0, 0, 0, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 6, 0]) == [[5], [], [6]])
        #expect(reader.isWithinMessage)
    }

    @Test("A message above the limit is refused as INVALID_ARGUMENT before its bytes arrive")
    mutating func tooLarge() throws {
        #expect(try receive([0, 0, 0, 0, 10]) == [])
        reader = MessageReader(maximumBytes: 10, memory: MessageMemory())
        let error = #expect(throws: GRPCStatus.self) { try receive([0, 0, 0, 0, 11]) }
        #expect(error?.code == 3)
    }

    @Test("A compressed message without a known encoding is refused as INVALID_ARGUMENT")
    mutating func compressed() throws {
        let error = #expect(throws: GRPCStatus.self) { try receive([1, 0, 0, 0, 0]) }
        #expect(error?.code == 3)
    }

    @Test("Messages with gzip's flag are decoded one by one, and those without it are taken as they are")
    mutating func gzip() throws {
        reader = MessageReader(maximumBytes: 100, memory: MessageMemory())
        reader.isGzip = true
        #expect(try receive(prefix(flag: 1, Self.gzipped) + prefix(flag: 0, [9])) == [[1, 2, 3, 4, 5], [9]])
        #expect(try receive(prefix(flag: 1, Self.gzipped)) == [[1, 2, 3, 4, 5]])
    }

    @Test("Damaged gzip is refused as INVALID_ARGUMENT", arguments: [1, 12, 20])
    mutating func damagedGzip(length: Int) throws {
        reader = MessageReader(maximumBytes: 100, memory: MessageMemory())
        reader.isGzip = true
        let error = #expect(throws: GRPCStatus.self) {
            try receive(prefix(flag: 1, Array(Self.gzipped.prefix(length))))
        }
        #expect(error?.code == 3)
    }

    @Test("A compressed message that is too large without its compression is refused as INVALID_ARGUMENT")
    mutating func bomb() throws {
        for (maximum, isAllowed) in [(100, true), (99, false)] {
            reader = MessageReader(maximumBytes: maximum, memory: MessageMemory())
            reader.isGzip = true
            let messages = try? receive(prefix(flag: 1, Self.hundredZeros))
            #expect(messages == (isAllowed ? [[UInt8](repeating: 0, count: 100)] : nil))
        }
    }

    @Test("A large message takes memory before it arrives, and is refused as RESOURCE_EXHAUSTED if there is too little")
    mutating func memory() throws {
        let (memory, limit) = (MessageMemory(maximumBytes: 1_000_000), 600_000)
        let large: [UInt8] = [0, 0, 9, 0, 0]
        var other = MessageReader(maximumBytes: limit, memory: memory)
        other.receive(ByteBuffer(bytes: large))
        #expect(try other.next() == nil)
        reader = MessageReader(maximumBytes: limit, memory: memory)
        let error = #expect(throws: GRPCStatus.self) { try receive(large) }
        #expect(error?.code == 8)
        reader = MessageReader(maximumBytes: limit, memory: memory)
        #expect(try receive([0, 0, 0, 0, 1, 5]) == [[5]], "a small message")
        other.receive(ByteBuffer(repeating: 7, count: 9 << 16))
        let message = try #require(try other.next())
        reader = MessageReader(maximumBytes: limit, memory: memory)
        #expect(throws: GRPCStatus.self) { try receive(large) }
        withExtendedLifetime(message.reservation) {}
    }

    @Test("A message's memory is free after the message, and a compressed one takes what it can become")
    func reservations() throws {
        let memory = MessageMemory(maximumBytes: 1_000_000)
        func isFree(_ bytes: Int?, isCompressed: Bool = false) -> Bool {
            (try? memory.reserve(bytes, isCompressed: isCompressed, limit: 600_000)) != nil
        }
        var first = try memory.reserve(600_000, isCompressed: false, limit: 600_000)
        #expect(first != nil)
        #expect(isFree(400_000) && !isFree(400_001) && !isFree(nil))
        #expect(isFree(300, isCompressed: true) && !isFree(500, isCompressed: true))
        #expect(!isFree(.max, isCompressed: true))
        first = nil
        #expect(isFree(nil) && isFree(.max, isCompressed: true))
        #expect(try memory.reserve(65_536, isCompressed: false, limit: 600_000) == nil, "it is small")
    }

    private func prefix(flag: UInt8, _ message: [UInt8]) -> [UInt8] { [flag, 0, 0, 0, UInt8(message.count)] + message }

    /// The bytes 1 to 5.
    private static let gzipped: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 99, 100, 98, 102, 97, 5, 0, 244, 153, 11, 71, 5, 0, 0, 0,
    ]
    private static let hundredZeros: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 99, 96, 160, 61, 0, 0, 202, 198, 136, 153, 100, 0, 0, 0,
    ]

    @Test("A written message is read back unchanged")
    mutating func written() throws {
        var buffer = ByteBuffer()
        buffer.writeMessage([1, 2, 3])
        #expect(try receive(Array(buffer: buffer)) == [[1, 2, 3]])
    }
}

@Suite("Time for a message of gRPC")
struct MessageArrivalTests {
    private static let start = NIODeadline.uptimeNanoseconds(1)

    @Test("A message has its time from the beginning, and a second more for each 16 KiB")
    func pace() {
        var arrival = MessageArrival(timeout: .seconds(10), maximumBytes: 64 * 1024)
        #expect(arrival.deadline == nil)
        arrival.begin(at: Self.start)
        arrival.begin(at: Self.start + .seconds(5))
        #expect(arrival.deadline == Self.start + .seconds(10))
        arrival.receive(32 * 1024)
        #expect(arrival.deadline == Self.start + .seconds(12))
        arrival.receive(1024 * 1024)
        #expect(arrival.deadline == Self.start + .seconds(14))
        arrival.end()
        #expect(arrival.deadline == nil)
    }
}
