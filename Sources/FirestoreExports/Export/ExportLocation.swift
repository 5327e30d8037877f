import Foundation

/// The search for the file of an export that names all others.
enum ExportLocation {
    static let suffix = ".overall_export_metadata"
    /// The file that `firebase emulators:export` writes, about the exports of all its emulators.
    static let firebaseFile = "firebase-export-metadata.json"

    /// Returns the path of the file that names the parts of an export.
    ///
    /// - Parameter path: the file itself, the folder with it, or a folder of `firebase emulators:export`.
    static func metadataFile(at path: String) throws(ExportError) -> String {
        guard !path.hasPrefix("gs://") else {
            throw ExportError(
                .notAnExport, path, "is in Cloud Storage. Copy it here: gcloud storage cp --recursive \(path) .")
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ExportError(.notAnExport, path, "does not exist. Check the path.")
        }
        if isFolder.boolValue { return try metadataFile(inFolder: path) }
        if path.hasSuffix(suffix) { return path }
        if path.hasSuffix(firebaseFile) { return try metadataFile(namedBy: path) }
        throw ExportError(
            .notAnExport, path, "is not an export. Name its folder, or its file that ends with \(suffix).")
    }

    private static func metadataFile(inFolder folder: String) throws(ExportError) -> String {
        let path = folder.hasSuffix("/") ? folder : folder + "/"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        if names.contains(firebaseFile) { return try metadataFile(namedBy: path + firebaseFile) }
        let found = names.filter { $0.hasSuffix(suffix) }.sorted()
        switch found.count {
        case 1: return path + found[0]
        case 0: throw ExportError(.notAnExport, folder, "is not an export: no file in it ends with \(suffix).")
        default:
            throw ExportError(
                .notAnExport, folder, "contains several exports. Name one: \(found.joined(separator: ", ")).")
        }
    }

    private static func metadataFile(namedBy file: String) throws(ExportError) -> String {
        let contents = Data(try InputFile(file).contents())
        guard let metadata = try? JSONDecoder().decode(FirebaseExport.self, from: contents) else {
            throw .damaged(file, "it is not JSON as firebase emulators:export writes it")
        }
        guard let name = metadata.firestore?.metadataFile else {
            throw ExportError(.notAnExport, file, "names no export of Firestore, only of other emulators.")
        }
        return try RelativePath.resolve(name, namedBy: file)
    }

    /// The part of the file that is about Firestore.
    private struct FirebaseExport: Decodable {
        let firestore: Firestore?

        struct Firestore: Decodable {
            let metadataFile: String

            enum CodingKeys: String, CodingKey { case metadataFile = "metadata_file" }
        }
    }
}
