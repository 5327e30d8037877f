internal import DocumentStore
internal import Synchronization

/// The devices that have registered lately, as far as there is room: some sixty thousand. A hint, so whoever relies on it finds
/// out if it is wrong.
final class KnownDevices: Sendable {
    private static let count = 1 << 14

    /// In each place, a part of the hashes of the last four devices that have it, the latest first; 0 for none.
    private let places = Mutex([SIMD4<UInt32>](repeating: .zero, count: count))

    func insert(_ device: DocumentPath) {
        let (place, mark) = Self.place(of: device)
        places.withLock { places in
            let marks = places[place]
            if !Self.has(mark, marks) { places[place] = SIMD4(mark, marks[0], marks[1], marks[2]) }
        }
    }

    func contains(_ device: DocumentPath) -> Bool {
        let (place, mark) = Self.place(of: device)
        return places.withLock { Self.has(mark, $0[place]) }
    }

    private static func has(_ mark: UInt32, _ marks: SIMD4<UInt32>) -> Bool {
        mark == marks[0] || mark == marks[1] || mark == marks[2] || mark == marks[3]
    }

    private static func place(of device: DocumentPath) -> (place: Int, mark: UInt32) {
        let hash = UInt64(truncatingIfNeeded: device.hashValue)
        return (Int(hash % UInt64(count)), UInt32(hash >> 32) | 1)
    }
}
