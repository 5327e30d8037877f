internal import NIOCore

/// The choice of connections that make room for others.
enum Eviction {
    /// Returns the oldest idle connections of the address with the most idle ones; empty if none is idle.
    static func choose(_ count: Int, among connections: some Sequence<OpenConnection>) -> [OpenConnection] {
        var idle: [ArraySlice<UInt8>: [(connection: OpenConnection, since: NIODeadline)]] = [:]
        for connection in connections {
            guard let since = connection.idleSince else { continue }
            idle[network(of: connection.address), default: []].append((connection, since))
        }
        guard let most = idle.values.max(by: { $0.count < $1.count }) else { return [] }
        if count == 1 { return most.min { $0.since < $1.since }.map { [$0.connection] } ?? [] }
        return most.sorted { $0.since < $1.since }.prefix(count).map(\.connection)
    }

    /// An IPv4 address, or an IPv6 network of 64 bits.
    private static func network(of address: IPAddress?) -> ArraySlice<UInt8> {
        guard let bytes = address?.bytes else { return [] }
        return bytes.count == 4 ? bytes[...] : bytes.prefix(8)
    }
}
