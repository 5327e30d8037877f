extension String {
    /// A registration token in Google's form, which no gateway made.
    package static let foreignToken = "cAAAAAAAAAAAAAAAAAAAAA:APA91b" + String(repeating: "x", count: 134)
}
