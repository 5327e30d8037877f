import Foundation

/// `true` if the program runs as it does in use: the thread sanitizer multiplies its times and its memory.
public let isAtFullSpeed = ProcessInfo.processInfo.environment["PUSHGATE_SANITIZER"] == nil
