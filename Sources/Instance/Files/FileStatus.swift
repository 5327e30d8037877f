import Foundation

// In an optimized build on Linux, the compiler finds the system's `stat` in this module.
#if canImport(CDispatch)
    internal import CDispatch
#endif

/// The kind, owner and mode of a file.
struct FileStatus: Sendable {
    enum Kind: String, Sendable {
        case regular = "a regular file"
        case directory = "a directory"
        case link = "a symbolic link"
        case fifo = "a FIFO"
        case socket = "a socket"
        case device = "a device"
    }

    let kind: Kind
    let owner: uid_t
    let group: gid_t
    let mode: mode_t
    /// The size in bytes.
    let size: Int
    let modified: Date
    private let device: UInt64
    private let inode: UInt64

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .link
            case S_IFIFO: .fifo
            case S_IFSOCK: .socket
            default: .device
            }
        owner = status.st_uid
        group = status.st_gid
        mode = status.st_mode & 0o7777
        size = Int(status.st_size)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        modified = Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// Reads the status of the file at a path, or of the link itself if the path is a link; `nil` if there is none or
    /// it cannot be reached.
    init?(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of the file that a path leads to through links; `nil` if there is none or it cannot be
    /// reached.
    init?(following path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of an open file.
    init(of descriptor: Int32) throws(SystemError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError() }
        self.init(status)
    }

    /// Reads the status of an entry in an open directory, or of the link itself if it is a link; `nil` if there is no
    /// entry.
    init?(of name: String, in directory: Int32) throws(SystemError) {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw SystemError() }
            return nil
        }
        self.init(status)
    }

    /// Returns `true` if both are the same file.
    func isSame(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }

    /// The mode in octal, for example `0644`.
    var modeText: String { "0" + String(mode, radix: 8) }

    #if os(Linux)
        /// The file's identifier in `/proc/locks`, for example `08:01:1234`.
        var lockName: String {
            func hexadecimal(_ number: UInt64) -> String {
                let digits = String(number, radix: 16)
                return digits.count < 2 ? "0" + digits : digits
            }
            let major = (device >> 8 & 0xFFF) | (device >> 32 & 0xFFFF_F000)
            let minor = (device & 0xFF) | (device >> 12 & 0xFFFF_FF00)
            return "\(hexadecimal(major)):\(hexadecimal(minor)):\(inode)"
        }
    #endif
}
