import Foundation
import TestSupport

/// A disk of a gateway's that a test stops; Tests/HeldDisk is the library that does it.
struct HeldDisk {
    private let folder: String

    /// Makes one for the body. It goes on afterwards, whatever becomes of the body.
    static func using<Output>(_ body: (HeldDisk) async throws -> Output) async throws -> Output {
        try await withTemporaryDirectory { folder in
            let disk = HeldDisk(folder: folder)
            defer { disk.release() }
            return try await body(disk)
        }
    }

    /// The variables of a gateway that has this disk.
    var environment: [String: String] {
        let library = URL(fileURLWithPath: PushgateProgram.path).deletingLastPathComponent().path + "/libHeldDisk.so"
        return ["LD_PRELOAD": library, "HELD_DISK": folder]
    }

    /// Keeps each read from now on waiting.
    func hold() throws { try Data().write(to: URL(fileURLWithPath: holdFile)) }

    /// Lets all reads go on.
    func release() { try? FileManager.default.removeItem(atPath: holdFile) }

    /// The number of reads that had to wait.
    var waiting: Int { FileManager.default.contents(atPath: folder + "/waiting")?.count ?? 0 }

    private var holdFile: String { folder + "/hold" }
}
