import Foundation

/// The raw bytes of the files in a directory, to search for texts that must not be there.
package struct FileBytes {
    private let contents: [String: Data]

    /// Reads every file in the directory and below it.
    package init(in directory: String) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
        contents = Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                FileManager.default.contents(atPath: directory + "/" + name).map { (name, $0) }
            })
    }

    /// The paths of all files below the directory, sorted.
    package var names: [String] { contents.keys.sorted() }

    /// Returns the names of the files that contain the text.
    package func files(containing text: String) -> [String] {
        contents.filter { $0.value.range(of: Data(text.utf8)) != nil }.keys.sorted()
    }
}
