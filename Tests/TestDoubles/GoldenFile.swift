import Foundation

/// A file of expectations, in the folder `Golden` beside the tests that hold to it.
public struct GoldenFile {
    public let text: String

    public init(_ name: String, of file: String = #filePath) throws {
        let folder = URL(filePath: file).deletingLastPathComponent().appending(path: "Golden")
        text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
}
