#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The ids of transactions: 16 bytes that name the server and its process, and are random otherwise.
///
/// So a transaction of an earlier process is recognised, which a client should run again.
struct TransactionIDs: Sendable {
    private static let length = 16
    private let server: Data
    private let process: Data

    /// Makes the ids of a process.
    ///
    /// - Parameters:
    ///   - server: a number that no other server has, and that stays the same after a restart.
    ///   - process: a number that no other process of the server has.
    init(server: UInt64, process: UInt32) {
        self.server = Self.bytes(of: UInt32(truncatingIfNeeded: server))
        self.process = Self.bytes(of: process)
    }

    /// Returns a new id, with bytes from the system's generator.
    func next() -> Data {
        var generator = SystemRandomNumberGenerator()
        return server + process + Self.bytes(of: generator.next() as UInt64)
    }

    /// Returns `true` for a text that can be an id, of this server or of another one.
    static func isID(_ id: Data) -> Bool { id.count == length }

    /// Returns `true` for the id of a transaction that began in an earlier process of the server.
    func isEarlier(_ id: Data) -> Bool {
        id.count == Self.length && id.starts(with: server) && !id.dropFirst(server.count).starts(with: process)
    }

    /// Returns `true` for an id that this process has made, or could have made.
    func isOwn(_ id: Data) -> Bool { id.count == Self.length && id.starts(with: server + process) }

    private static func bytes(of number: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
}
