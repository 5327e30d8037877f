import Foundation
import JSON

/// A file of expectations beside these tests.
struct GoldenFile {
    let text: String

    init(_ name: String, of file: String = #filePath) throws {
        let folder = URL(filePath: file).deletingLastPathComponent().appending(path: "Golden")
        text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
}
