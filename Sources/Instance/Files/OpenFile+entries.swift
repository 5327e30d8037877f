import DurableFiles

/// Changes of this directory's entries, each of which is on the disk when the method returns.
extension OpenFile {
    /// Renames an entry, and replaces one with the new name.
    borrowing func rename(_ name: String, to newName: String) throws(SystemError) {
        try reporting { () throws(FileError) in try DirectoryEntries.rename(name, to: newName, in: descriptor) }
    }

    /// Removes a file.
    borrowing func removeFile(_ name: String) throws(SystemError) {
        try reporting { () throws(FileError) in try DirectoryEntries.remove(name, in: descriptor) }
    }

    /// Removes an empty folder.
    borrowing func removeFolder(_ name: String) throws(SystemError) {
        try reporting { () throws(FileError) in try DirectoryEntries.removeFolder(name, in: descriptor) }
    }

    /// Waits until the entries are on the disk.
    borrowing func synchronizeEntries() throws(SystemError) {
        try reporting { () throws(FileError) in try DirectoryEntries.synchronize(descriptor) }
    }

    private borrowing func reporting(_ body: () throws(FileError) -> Void) throws(SystemError) {
        do throws(FileError) {
            try body()
        } catch {
            throw SystemError(error)
        }
    }
}

extension SystemError {
    init(_ error: FileError) { self.init(code: error.code) }
}
