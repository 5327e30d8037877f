/// Random bytes that nobody can guess, for secrets: from the system's generator.
public enum RandomBytes {
    public static func generate(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
