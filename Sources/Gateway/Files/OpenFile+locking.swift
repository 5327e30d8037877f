internal import Foundation

/// Locks of `flock(2)`: they end with the process, whatever becomes of it.
extension OpenFile {
    /// Takes the lock if nobody else has it.
    borrowing func tryLock() throws(SystemError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw SystemError() }
        }
        return true
    }

    /// The process that holds the lock; `nil` where the system does not tell (Linux does, in `/proc/locks`).
    borrowing func lockHolder() -> Int32? {
        #if os(Linux)
            guard let name = try? status().lockName else { return nil }
            // The system writes a long table in pieces, and leaves lines out when others lock something meanwhile.
            for _ in 0..<10 {
                if let holder = LockTable.holder(of: name) { return holder }
            }
        #endif
        return nil
    }
}

#if os(Linux)
    /// The locks that processes hold, proc_locks(5).
    private enum LockTable {
        static func holder(of name: String) -> Int32? {
            // Foundation takes the first piece of such a file, a page, for all of it.
            guard let table = try? OpenFile("/proc/locks", O_RDONLY).contents() else { return nil }
            for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
                // 1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF; “->” marks one that waits.
                let words = line.split(separator: " ")
                guard words.count > 5, words[1] == "FLOCK", words[5] == name else { continue }
                return Int32(words[4])
            }
            return nil
        }
    }
#endif
