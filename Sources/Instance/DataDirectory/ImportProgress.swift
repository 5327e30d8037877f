import Foundation
import JSON

/// The progress of an import of documents into a data directory, which may be interrupted and repeated.
package struct ImportProgress: Sendable {
    /// The file that says which export is being imported, and how far.
    private static let name = "import-progress"

    private let files: DataFolder

    init(in files: DataFolder) { self.files = files }

    private var path: String { "\(files.path)/\(Self.name)" }

    /// Throws an error if an import into the directory was begun and has not ended.
    package func check() throws(GatewayError) {
        if let unfinished { throw unfinished.error }
    }

    /// The problem of a directory into which an import was begun that has not ended; `nil` if there was none.
    package var unfinished: DirectoryProblem? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return DirectoryProblem(
            fact: "an import into \(files.path) was begun and has not ended",
            advice: "Repeat “pushgate import” with the same file.")
    }

    /// Returns the number of documents of the export with a digest that were imported; `nil` if no import was begun.
    package func count(of digest: String) throws(GatewayError) -> Int? {
        guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
        guard let json = try? JSONValue(parsing: [UInt8](bytes)), json["sha256"] == .string(digest),
            let count = json["documents"]?.integer
        else {
            throw GatewayError(
                "the import of another file into \(files.path) has not ended. Repeat that, or name another directory "
                    + "with --data-directory.")
        }
        return Int(count)
    }

    /// Records the number of documents of an export that were imported.
    package func note(_ count: Int, of digest: String) throws(GatewayError) {
        let json: JSONValue = ["sha256": .string(digest), "documents": .integer(Int64(count))]
        try files.write(json.serialized, to: Self.name)
    }

    /// Records that the import has ended.
    package func end() throws(GatewayError) { try files.file(Self.name).remove() }
}
