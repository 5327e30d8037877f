import Foundation

/// A file of expectations in the folder `Golden` beside the tests that read it.
package struct GoldenFile {
    /// The contents of the file.
    package let text: String

    /// Reads the file in the folder `Golden` beside the calling source file.
    package init(_ name: String, of file: String = #filePath) throws {
        let folder = URL(filePath: file).deletingLastPathComponent().appending(path: "Golden")
        text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
}
