extension String {
    /// A registration token in the form of Google's, which no gateway has made.
    public static let foreignToken = "cAAAAAAAAAAAAAAAAAAAAA:APA91b" + String(repeating: "x", count: 134)
}
