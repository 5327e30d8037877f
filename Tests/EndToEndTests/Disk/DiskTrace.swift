#if os(Linux)
    import Foundation
    import TestSupport

    /// The changes that a verb makes to files in a folder, seen by strace(1), and what of them a power cut after the
    /// verb's end would undo: names that were created, renamed or removed without a flush of their directory, and
    /// contents that were written without a flush of their file.
    struct DiskTrace {
        private static let strace = "/usr/bin/strace"
        private static let calls = [
            "open", "openat", "creat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat",
            "rmdir", "link", "linkat", "write", "pwrite64", "ftruncate", "truncate", "fsync", "fdatasync",
        ]

        static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: strace) }

        private let folder: String
        private var nextFile = 0
        /// The files by path, as the running system sees them.
        private var present: [String: Int] = [:]
        /// The files by path, as the disk has them.
        private var flushed: [String: Int] = [:]
        private var unwritten: Set<Int> = []
        /// The beginnings of calls during which other threads made theirs, by thread.
        private var begun: [Substring: String] = [:]

        /// Begins with all files that the folder has on the disk.
        init(of folder: String) {
            self.folder = folder
            for name in FileManager.default.subpaths(atPath: folder) ?? [] {
                present[folder + "/" + name] = newFile()
            }
            flushed = present
        }

        /// Runs the program, and adds its changes.
        mutating func run(_ arguments: [String]) async throws -> FinishedProcess {
            let (finished, trace) = try await Self.run(arguments, ["-e", "trace=" + Self.list])
            for line in trace.split(separator: "\n") { add(line) }
            return finished
        }

        /// Runs the program, and kills it when it calls fsync(2) for the given time, from 1.
        static func run(_ arguments: [String], killedAtFlush number: Int) async throws -> FinishedProcess {
            try await run(arguments, ["-e", "trace=fsync", "-e", "inject=fsync:signal=SIGKILL:when=\(number)"]).0
        }

        private static func run(
            _ arguments: [String], _ options: [String]
        ) async throws -> (FinishedProcess, trace: String) {
            try await withTemporaryDirectory { directory in
                let path = directory + "/trace"
                let finished = try await ChildProcess.running(
                    strace, ["-f", "-y", "-qq", "-s", "0", "-o", path] + options + [PushgateProgram.path] + arguments
                ) { try await $0.finish() }
                return (finished, try String(contentsOfFile: path, encoding: .utf8))
            }
        }

        private static var list: String { calls.map { "?" + $0 }.joined(separator: ",") }

        /// The changes that a power cut would undo, except those of SQLite's own files and of locks, which the next
        /// start makes again.
        var losses: [String] {
            let names = Set(present.keys).union(flushed.keys).filter { !Self.isTransient($0) }
            return names.sorted().compactMap { path in
                switch (present[path], surviving(path)) {
                case (nil, nil): nil
                case (nil, _): "comes back: \(path)"
                case (_, nil): "is lost: \(path)"
                case (let file?, let other) where file != other: "is another file: \(path)"
                case (let file?, _): unwritten.contains(file) ? "is incomplete: \(path)" : nil
                }
            }
        }

        private static func isTransient(_ path: String) -> Bool {
            ["pushgate.sqlite-wal", "pushgate.sqlite-shm", ".lock", "/lock"].contains { path.hasSuffix($0) }
        }

        /// Returns the file that the disk has at a path; `nil` if it has none, or not the folder that it is in.
        private func surviving(_ path: String) -> Int? {
            let parent = Self.parent(of: path)
            return parent == folder || surviving(parent) != nil ? flushed[path] : nil
        }

        private static func parent(of path: String) -> String { (path as NSString).deletingLastPathComponent }

        private mutating func newFile() -> Int {
            nextFile += 1
            return nextFile
        }

        // MARK: Reading the trace

        /// Adds a line, such as `17 renameat(3</tmp/a>, "x", 3</tmp/a>, "y") = 0`.
        mutating func add(_ line: Substring) {
            guard let space = line.firstIndex(of: " ") else { return }
            let thread = line[..<space]
            let text = line[space...].drop { $0 == " " }
            let unfinished = " <unfinished ...>"
            if text.hasSuffix(unfinished) {
                begun[thread] = String(text.dropLast(unfinished.count))
            } else if text.hasPrefix("<... "), let end = text.range(of: " resumed>") {
                apply((begun.removeValue(forKey: thread) ?? "") + text[end.upperBound...])
            } else {
                apply(String(text))
            }
        }

        private mutating func apply(_ call: String) {
            guard let open = call.firstIndex(of: "("), let end = call.ranges(of: #/\) += /#).last,
                !call[end.upperBound...].hasPrefix("-1")
            else { return }
            let name = call[..<open]
            let text = call[call.index(after: open)..<end.lowerBound]
            let paths = Self.paths(in: text).filter { $0.hasPrefix(folder + "/") || $0 == folder }
            guard let path = paths.first else { return }
            switch name {
            case "open", "openat", "creat":
                if text.contains("O_CREAT") || name == "creat" { create(path) }
                if text.contains("O_TRUNC") { write(path) }
            case "mkdir", "mkdirat": create(path)
            case "write", "pwrite64", "ftruncate", "truncate": write(path)
            case "fsync", "fdatasync": flush(path)
            case "unlink", "unlinkat", "rmdir": remove(path)
            case "rename", "renameat", "renameat2": if paths.count == 2 { rename(path, to: paths[1]) }
            case "link", "linkat": if paths.count == 2 { present[paths[1]] = existing(path) }
            default: break
            }
        }

        /// Returns the paths that a call names: by a descriptor, by a text, or by both of them.
        private static func paths(in arguments: Substring) -> [String] {
            var paths: [String] = []
            var folder: String?
            for argument in arguments.split(separator: ", ") {
                if let text = argument.firstMatch(of: /^"(.*)"$/)?.1 {
                    paths.append(text.hasPrefix("/") ? String(text) : (folder ?? "") + "/" + text)
                    folder = nil
                } else if let text = argument.firstMatch(of: /^(?:AT_FDCWD|\d+)<(.*)>(?:\(deleted\))?$/)?.1 {
                    folder = String(text)
                }
            }
            return paths.isEmpty ? [folder].compactMap(\.self) : paths
        }

        // MARK: Applying changes

        /// Returns the file at a path. One that another process has made is on the disk.
        private mutating func existing(_ path: String) -> Int {
            if let file = present[path] { return file }
            let file = newFile()
            (present[path], flushed[path]) = (file, file)
            return file
        }

        private mutating func create(_ path: String) { if present[path] == nil { present[path] = newFile() } }

        private mutating func write(_ path: String) { unwritten.insert(existing(path)) }

        private mutating func flush(_ path: String) {
            if let file = present[path] { unwritten.remove(file) }
            for entry in Set(present.keys).union(flushed.keys) where Self.parent(of: entry) == path {
                flushed[entry] = present[entry]
            }
        }

        private mutating func remove(_ path: String) {
            _ = existing(path)
            present[path] = nil
        }

        private mutating func rename(_ path: String, to newPath: String) {
            present[newPath] = existing(path)
            present[path] = nil
            // The names in a folder are in the folder itself, and go with it.
            for entry in Set(present.keys).union(flushed.keys) where entry.hasPrefix(path + "/") {
                let newEntry = newPath + entry.dropFirst(path.count)
                (present[newEntry], present[entry]) = (present[entry], nil)
                (flushed[newEntry], flushed[entry]) = (flushed[entry], nil)
            }
        }
    }
#endif
