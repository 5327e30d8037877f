extension String {
    /// The message for clients when there is no room on the disk.
    static let noRoom =
        "The gateway's disk is full or nearly full, so nothing was accepted. The operator must free space"
}
