/// The room on the disk that new data leaves alone, so that what was accepted can still be settled, and a machine that
/// shares the disk goes on. Pure.
struct SpaceReserve: Sendable {
    /// In bytes; 0 for none. `nil` for the larger of 256 MiB and 2 % of the file system.
    let minimumFree: Int64?

    private static let smallest: Int64 = 256 * 1_024 * 1_024
    /// The log of the database needs room of its own, twice 32 MiB at most, however much room there is inside the
    /// database.
    private static let logRoom: Int64 = 64 * 1_024 * 1_024

    /// The free bytes below which nothing new is accepted.
    func bound(of space: FileSystemSpace) -> Int64 { minimumFree ?? max(Self.smallest, space.size / 50) }

    /// Returns whether there is room for new data.
    ///
    /// - Parameter reusable: the bytes inside the database that deleted documents have left. The file does not shrink,
    ///   but grows no further until they are used.
    func hasRoom(_ space: FileSystemSpace, reusable: Int64) -> Bool {
        let bound = bound(of: space)
        let (room, overflows) = space.free.addingReportingOverflow(reusable)
        return space.free >= min(bound, Self.logRoom) && (overflows || room >= bound)
    }
}
