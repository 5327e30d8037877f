/// The id of a task, which is the secret in its link: eight letters and digits without look-alikes (46 random
/// bits).
enum TaskID {
    private static let alphabet = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
    private static let length = 8

    /// Makes an id with the system's generator, which is unpredictable.
    @Sendable static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return String((0..<length).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] })
    }

    static func isWellFormed(_ text: String) -> Bool { text.count == length && text.allSatisfy(alphabet.contains) }
}
