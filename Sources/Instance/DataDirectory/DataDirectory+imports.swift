import Foundation
import JSON

/// The progress of an import of documents into a data directory, which may be interrupted and repeated.
extension DataDirectory {
    /// The file that says which export is being imported, and how far.
    private static let progressName = "import-progress"

    /// Throws an error if an import into the directory was begun and has not ended.
    package func checkImports() throws(GatewayError) {
        guard let problem = unfinishedImport else { return }
        throw GatewayError("\(problem.fact). \(problem.advice)")
    }

    /// The problem of a directory into which an import was begun that has not ended; `nil` if there was none.
    package var unfinishedImport: (fact: String, advice: String)? {
        guard FileManager.default.fileExists(atPath: "\(path)/\(Self.progressName)") else { return nil }
        return ("an import into \(path) was begun and has not ended", "Repeat “pushgate import” with the same file.")
    }

    /// Returns the number of documents of the export with a digest that were imported; `nil` if no import was begun.
    package func importProgress(of digest: String) throws(GatewayError) -> Int? {
        guard let bytes = FileManager.default.contents(atPath: "\(path)/\(Self.progressName)") else { return nil }
        guard let json = try? JSONValue(parsing: [UInt8](bytes)), json["sha256"] == .string(digest),
            let count = json["documents"]?.integer
        else {
            throw GatewayError(
                "the import of another file into \(path) has not ended. Repeat that, or name another directory with "
                    + "--data-directory.")
        }
        return Int(count)
    }

    /// Records the number of documents of an export that were imported.
    package func noteImport(_ count: Int, of digest: String) throws(GatewayError) {
        let json: JSONValue = ["sha256": .string(digest), "documents": .integer(Int64(count))]
        try AtomicFile(Self.progressName, in: folder).replace(with: json.serialized, access: ownAccess(mode: 0o600))
    }

    /// Records that the import has ended.
    package func endImport() throws(GatewayError) { try file(Self.progressName).remove() }
}
