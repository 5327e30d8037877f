import Testing

@testable import Instance

@Suite("Reserve of free space")
struct SpaceReserveTests {
    private static let mebibyte: Int64 = 1_024 * 1_024
    private static let gibibyte = 1_024 * mebibyte

    @Test(
        "The reserve of free space is the larger of 256 MiB and 2 % of the disk, unless it is configured",
        arguments: [
            (nil, gibibyte, 256 * mebibyte), (nil, 12 * gibibyte, 256 * mebibyte), (nil, 100 * gibibyte, 2 * gibibyte),
            (0, 100 * gibibyte, 0), (5, 100 * gibibyte, 5),
        ] as [(Int64?, Int64, Int64)])
    func bound(minimum: Int64?, size: Int64, expected: Int64) {
        #expect(SpaceReserve(minimumFree: minimum).bound(of: FileSystemSpace(free: 0, size: size)) == expected)
    }

    @Test(
        "Free bytes and reusable pages count towards the reserve while the log has room",
        arguments: [
            (256, 0, true), (255, 0, false), (255, 1, true), (64, 192, true), (63, 10_000, false), (0, 0, false),
            (10_000, 0, true),
        ] as [(Int64, Int64, Bool)])
    func room(free: Int64, reusable: Int64, expected: Bool) {
        let space = FileSystemSpace(free: free * Self.mebibyte, size: Self.gibibyte)
        #expect(SpaceReserve(minimumFree: nil).hasRoom(space, reusable: reusable * Self.mebibyte) == expected)
    }

    @Test("A reserve of zero accepts data on a full disk")
    func lifted() {
        #expect(SpaceReserve(minimumFree: 0).hasRoom(FileSystemSpace(free: 0, size: 1), reusable: 0))
    }

    @Test("The space of a path's file system is read, and an unknown path throws an error")
    func fileSystem() throws {
        let space = try FileSystemSpace(at: "/")
        #expect(space.size > 0 && space.free >= 0 && space.free <= space.size)
        #expect(throws: SystemError.self) { try FileSystemSpace(at: "/none/such") }
    }
}
