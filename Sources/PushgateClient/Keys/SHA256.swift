#if !canImport(CryptoKit)
    /// SHA-256 (FIPS 180-4, §6.2) for systems without CryptoKit, so that the library needs no package for the digests
    /// of a few short texts.
    enum SHA256 {
        /// The number of bytes of a block.
        private static let blockSize = 64

        /// The first bits of the fractions of the square roots of the first eight primes.
        private static let initialState: [UInt32] = [
            0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
        ]

        /// The first bits of the fractions of the cube roots of the first 64 primes.
        private static let roundConstants: [UInt32] = [
            0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
            0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
            0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
            0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
            0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
            0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
            0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
            0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
        ]

        /// Returns the digest, 32 bytes.
        static func hash(data: [UInt8]) -> [UInt8] {
            let message = padded(data)
            var state = initialState
            for start in stride(from: 0, to: message.count, by: blockSize) {
                state = compressed(state, with: schedule(of: message[start..<start + blockSize]))
            }
            return state.flatMap(\.bigEndianBytes)
        }

        /// Returns whole blocks: the data, a bit, zeros, and the number of the data's bits.
        private static func padded(_ data: [UInt8]) -> [UInt8] {
            let zeros = (2 * blockSize - 9 - data.count % blockSize) % blockSize
            let bitCount = UInt64(data.count) * 8
            var message = data
            message.append(0x80)
            message.append(contentsOf: repeatElement(0, count: zeros))
            message.append(contentsOf: bitCount.bigEndianBytes)
            return message
        }

        /// Returns the word of each round.
        private static func schedule(of block: ArraySlice<UInt8>) -> [UInt32] {
            var words: [UInt32] = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
                block[start..<start + 4].reduce(UInt32(0)) { word, byte in (word << 8) | UInt32(byte) }
            }
            for round in 16..<roundConstants.count {
                let (early, late) = (words[round - 15], words[round - 2])
                let first = early.rotated(by: 7) ^ early.rotated(by: 18) ^ (early >> 3)
                let second = late.rotated(by: 17) ^ late.rotated(by: 19) ^ (late >> 10)
                words.append(words[round - 16] &+ first &+ words[round - 7] &+ second)
            }
            return words
        }

        private static func compressed(_ state: [UInt32], with schedule: [UInt32]) -> [UInt32] {
            var working = state
            for (constant, word) in zip(roundConstants, schedule) {
                let (a, b, c, e, f, g) = (working[0], working[1], working[2], working[4], working[5], working[6])
                let choice = (e & f) ^ (~e & g)
                let majority = (a & b) ^ (a & c) ^ (b & c)
                let first = working[7] &+ e.sum(6, 11, 25) &+ choice &+ constant &+ word
                let second = a.sum(2, 13, 22) &+ majority
                working = [first &+ second, a, b, c, working[3] &+ first, e, f, g]
            }
            return zip(state, working).map { $0 &+ $1 }
        }
    }

    extension UInt32 {
        /// Returns the word with its bits moved to the right, the last ones to the front.
        fileprivate func rotated(by count: UInt32) -> UInt32 { (self >> count) | (self << (32 - count)) }

        /// Returns three rotations, added without carries.
        fileprivate func sum(_ first: UInt32, _ second: UInt32, _ third: UInt32) -> UInt32 {
            rotated(by: first) ^ rotated(by: second) ^ rotated(by: third)
        }
    }

    extension FixedWidthInteger {
        fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
    }
#endif
