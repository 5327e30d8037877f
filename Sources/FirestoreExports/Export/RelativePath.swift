/// A path that a file of an export names, below the folder of that file.
enum RelativePath {
    /// Returns the path of the file that another file names. An export never names files outside its own folder.
    ///
    /// - Parameters:
    ///   - name: the name, with slashes.
    ///   - file: the path of the file that contains the name.
    static func resolve(_ name: String, namedBy file: String) throws(ExportError) -> String {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
        guard !name.utf8.contains(0), Set(parts).isDisjoint(with: ["", ".", ".."]) else {
            throw .damaged(file, "it names the file “\(name)”, which is not below its folder")
        }
        return folder(of: file) + name
    }

    /// Returns the path of a file's folder with a slash; empty for the working directory.
    private static func folder(of file: String) -> String {
        file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }
}
