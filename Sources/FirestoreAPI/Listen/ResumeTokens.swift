import DocumentStore
import Foundation

/// The resume tokens of one database: the times of snapshots, marked so that tokens of another server or database are
/// not taken for this one's.
struct ResumeTokens: Sendable {
    private static let length = 16
    private let mark: UInt64

    /// Makes the tokens of a database.
    ///
    /// - Parameter server: a number that no other server has.
    init(for database: DatabaseID, server: UInt64) {
        // FNV-1a (https://www.rfc-editor.org/rfc/rfc9923) of the name, from the server's number on.
        mark = database.description.utf8.reduce(server) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
    }

    /// Returns the token of a snapshot.
    func token(at time: Timestamp) -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.length)
        for number in [mark, UInt64(bitPattern: time.microseconds)] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        return Data(bytes)
    }

    /// Returns the time of a token's snapshot; `nil` if these are not its server and database.
    func time(of token: Data) -> Timestamp? {
        guard token.count == Self.length, number(token.prefix(8)) == mark else { return nil }
        return Timestamp(microseconds: Int64(bitPattern: number(token.suffix(8))))
    }

    private func number(_ bytes: Data) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
