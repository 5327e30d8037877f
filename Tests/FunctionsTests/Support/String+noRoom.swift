extension String {
    /// The message for clients when there is no room on the disk.
    static let noRoom = "The gateway's disk is full or nearly so; nothing was accepted. Its operator has to free space"
}
