/// The advice to a client when nothing was accepted for want of room on the gateway's disk.
enum DiskAdvice {
    static let text = "The gateway's disk is full or nearly so; nothing was accepted. Its operator has to free space"
}
