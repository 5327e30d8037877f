import TestBasics

/// A change to bytes without regard to their meaning.
enum ByteMutation {
    private static let interesting: [[UInt8]] = [
        [0], [0xFF], [0x7F], [0x80], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], Array("\r\n".utf8), Array("\n".utf8),
        Array("\r".utf8), Array("\r\n\r\n".utf8), Array(":".utf8), Array(" ".utf8), Array("\t".utf8), Array("%".utf8),
        Array("\"".utf8), Array("\\".utf8), Array("0\r\n\r\n".utf8), Array("-1".utf8),
        Array("99999999999999999999".utf8),
        [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], Array("HTTP/1.1".utf8), Array("chunked".utf8),
    ]

    static func apply(_ times: Int, to bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        for _ in 0..<times { apply(to: &bytes, &generator) }
    }

    private static func apply(to bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return bytes = generator.bytes(generator.number(1...8)) }
        let index = generator.number(0...(bytes.count - 1))
        let range = index..<min(bytes.count, index + generator.number(1...16))
        switch generator.number(0...7) {
        case 0: bytes[index] ^= 1 << UInt8(generator.number(0...7))
        case 1: bytes[index] = UInt8(generator.number(0...255))
        case 2: bytes.insert(contentsOf: generator.pick(interesting), at: index)
        case 3: bytes.removeSubrange(range)
        case 4: bytes.insert(contentsOf: bytes[range], at: index)
        case 5: bytes.replaceSubrange(range, with: generator.pick(interesting))
        case 6: bytes.removeSubrange(index...)
        default: bytes.swapAt(index, generator.number(0...(bytes.count - 1)))
        }
    }
}
