/// The checksum CRC-32C ([RFC 3720, B.4](https://www.rfc-editor.org/rfc/rfc3720#appendix-B.4)), computed by a table.
struct CRC32C {
    private var state: UInt32 = .max

    /// The checksum of all bytes so far.
    var checksum: UInt32 { ~state }

    mutating func update(_ byte: UInt8) {
        state = Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        state = Self.table.withUnsafeBufferPointer { table in
            var state = state
            for byte in bytes {
                state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8)
            }
            return state
        }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
    }
}

extension CRC32C {
    /// Returns the checksum of a fragment as LevelDB stores it, rotated and moved
    /// ([crc32c.h](https://github.com/google/leveldb/blob/main/util/crc32c.h)).
    static func masked(_ type: UInt8, _ payload: UnsafeRawBufferPointer) -> UInt32 {
        var sum = CRC32C()
        sum.update(type)
        sum.update(payload)
        return (sum.checksum >> 15 | sum.checksum << 17) &+ 0xA282_EAD8
    }
}
