import Foundation
import TestSupport

/// A gateway's disk that a test can stop. Tests/HeldDisk is the library that does it.
struct HeldDisk {
    private let folder: String

    /// Makes a disk for the body, and releases it after the body, even if the body throws.
    static func using<Output>(_ body: (HeldDisk) async throws -> Output) async throws -> Output {
        try await withTemporaryDirectory { folder in
            let disk = HeldDisk(folder: folder)
            defer { disk.release() }
            return try await body(disk)
        }
    }

    /// The environment variables of a gateway with this disk.
    var environment: [String: String] {
        let library = URL(fileURLWithPath: PushgateProgram.path).deletingLastPathComponent().path + "/libHeldDisk.so"
        return ["LD_PRELOAD": library, "HELD_DISK": folder]
    }

    /// Makes each read and each flush wait from now on.
    func hold() throws { try Data().write(to: URL(fileURLWithPath: holdFile)) }

    /// Lets all of them go on.
    func release() { try? FileManager.default.removeItem(atPath: holdFile) }

    /// The number of reads and flushes that had to wait.
    var waiting: Int { FileManager.default.contents(atPath: folder + "/waiting")?.count ?? 0 }

    private var holdFile: String { folder + "/hold" }
}
