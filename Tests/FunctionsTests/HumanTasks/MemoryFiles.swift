import Functions
import Synchronization

/// Files in memory that a test can inspect, age and make fail.
final class MemoryFiles: FileStorage {
    struct State {
        var contents: [String: [UInt8]] = [:]
        var ages: [String: Duration] = [:]
        var isFull = false
        /// The folders from which nothing can be removed.
        var stuck: Set<String> = []
    }

    let state = Mutex(State())

    /// The paths of all files, each folder and name.
    var names: [String] { state.withLock { $0.contents.keys.sorted() } }

    func put(_ bytes: [UInt8], at path: String, age: Duration = .zero) {
        state.withLock { state in
            state.contents[path] = bytes
            state.ages[path] = age
        }
    }

    func write(_ bytes: [UInt8], to name: String, in folder: String) async throws(FileStorageError) {
        guard !state.withLock(\.isFull) else { throw FileStorageError("no space left on device") }
        put(bytes, at: "\(folder)/\(name)")
    }

    private func contents(_ name: String, _ folder: String) -> [UInt8]? {
        state.withLock { $0.contents["\(folder)/\(name)"] }
    }

    func contents(
        of name: String, in folder: String, _ range: Range<Int>
    ) async throws(FileStorageError) -> [UInt8]? {
        contents(name, folder).map { Array($0[range.clamped(to: 0..<$0.count)]) }
    }

    func size(of name: String, in folder: String) async throws(FileStorageError) -> Int? {
        contents(name, folder)?.count
    }

    func remove(_ name: String, in folder: String) async throws(FileStorageError) {
        guard name.first != "." else { throw FileStorageError("a file name has a form that the gateway never uses") }
        try checkRemoval(in: folder)
        state.withLock { $0.contents["\(folder)/\(name)"] = nil }
    }

    private func checkRemoval(in folder: String) throws(FileStorageError) {
        if state.withLock({ $0.stuck.contains(folder) }) { throw FileStorageError("the folder is stuck") }
    }

    func removeFolder(_ folder: String) async throws(FileStorageError) {
        try checkRemoval(in: folder)
        state.withLock { state in state.contents = state.contents.filter { !$0.key.hasPrefix(folder + "/") } }
    }

    func folders() async throws(FileStorageError) -> [String] {
        Set(names.compactMap { $0.split(separator: "/").first.map(String.init) }).sorted()
    }

    func files(in folder: String) async throws(FileStorageError) -> [StoredFile] {
        state.withLock { state in
            state.contents.keys.filter { $0.hasPrefix(folder + "/") }.sorted().map {
                StoredFile(name: String($0.dropFirst(folder.count + 1)), age: state.ages[$0] ?? .zero)
            }
        }
    }
}
