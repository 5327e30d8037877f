import TestBasics

/// A change to a sequence of frames.
enum FrameMutation {
    private static let interesting: [UInt32] = [
        0, 1, 2, 3, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 65_535, 16_384, 16_777_216,
    ]

    static func apply(to frames: inout [HTTP2Frame], _ generator: inout SeededGenerator) {
        guard !frames.isEmpty else { return }
        let index = generator.number(0...(frames.count - 1))
        switch generator.number(0...11) {
        case 0: frames[index].type = UInt8(generator.pick([generator.number(0...9), generator.number(0...255)]))
        case 1: frames[index].flags = UInt8(generator.number(0...255))
        case 2: frames[index].stream = generator.pick(interesting + [frames[index].stream + 2])
        case 3:
            frames[index].announcedLength = generator.pick([0, 1, frames[index].payload.count + 1, 16_385, 0xFF_FFFF])
        case 4, 5: ByteMutation.apply(generator.number(1...3), to: &frames[index].payload, &generator)
        case 6: frames.remove(at: index)
        case 7: frames.insert(frames[index], at: index)
        case 8: frames.swapAt(index, generator.number(0...(frames.count - 1)))
        case 9: frames.insert(contentsOf: flood(&generator), at: index)
        default: frames.insert(oddFrame(&generator), at: index)
        }
    }

    /// Returns a frame that is invalid or out of place.
    private static func oddFrame(_ generator: inout SeededGenerator) -> HTTP2Frame {
        let stream = UInt32(generator.pick([0, 1, 3, 2, 99]))
        switch generator.number(0...10) {
        case 0:
            return .settings([(id: UInt16(generator.number(0...9)), value: generator.pick(interesting))])
        case 1: return HTTP2Frame(.settings, flags: HTTP2Frame.Flag.acknowledgement, generator.pick([[], [0]]))
        case 2: return .windowUpdate(generator.pick(interesting), on: stream)
        case 3: return HTTP2Frame(.reset, on: stream, HTTP2Frame.bytes(of: UInt32(generator.number(0...15))))
        case 4: return HTTP2Frame(.priority, on: stream, HTTP2Frame.bytes(of: generator.pick(interesting)) + [7])
        case 5:
            return HTTP2Frame(
                .ping, flags: UInt8(generator.number(0...1)), generator.bytes(generator.pick([8, 8, 7, 9])))
        case 6: return HTTP2Frame(.goAway, generator.bytes(generator.pick([8, 20])))
        case 7: return HTTP2Frame(.continuation, flags: 4, on: stream, generator.bytes(generator.number(0...20)))
        case 8:
            let flags = HTTP2Frame.Flag.padded | UInt8(generator.number(0...1))
            return HTTP2Frame(.data, flags: flags, on: stream, [UInt8(generator.number(0...255))] + generator.bytes(10))
        case 9:
            return HTTP2Frame(.headers, flags: 4 | UInt8(generator.number(0...1)), on: stream, headerJunk(&generator))
        default: return HTTP2Frame(.pushPromise, flags: 4, on: stream, HTTP2Frame.bytes(of: 2) + headerJunk(&generator))
        }
    }

    /// Returns header blocks with indexes out of range, table sizes, endless integers, and broken Huffman codes.
    private static func headerJunk(_ generator: inout SeededGenerator) -> [UInt8] {
        generator.pick([
            [0x80], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0xBE], [0x3F, 0xE1, 0xFF, 0x03], [0x20, 0x82], [0x82, 0x86, 0x84],
            [0x00, 0x81, 0xFF, 0x81, 0xFF], [0x40, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [0x82, 0x82, 0x84, 0x87], [],
            [0x82, 0x87, 0x84, 0x41, 0x8A] + generator.bytes(10), generator.bytes(generator.number(1...60)),
        ])
    }

    /// Returns a small flood of frames that cost their sender little.
    private static func flood(_ generator: inout SeededGenerator) -> [HTTP2Frame] {
        let count = generator.pick([20, 150])
        switch generator.number(0...5) {
        case 0: return Array(repeating: HTTP2Frame(.ping, Array(repeating: 1, count: 8)), count: count)
        case 1: return Array(repeating: .settings([(id: 3, value: 100)]), count: count)
        case 2: return Array(repeating: HTTP2Frame(.data, on: 1, []), count: count)
        case 3: return Array(repeating: HTTP2Frame(.priority, on: 5, [0, 0, 0, 0, 1]), count: count)
        case 4: return Array(repeating: .windowUpdate(1), count: count)
        default:
            return (0..<UInt32(count)).flatMap { number in
                [
                    HTTP2Frame(.headers, flags: 5, on: 101 + 2 * number, [0x82, 0x87, 0x84]),
                    HTTP2Frame(.reset, on: 101 + 2 * number, HTTP2Frame.bytes(of: 8)),
                ]
            }
        }
    }
}
