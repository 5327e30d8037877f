/// Fresh ids: 20 characters of `[A-Za-z0-9]`, as Firestore's clients make them.
extension DocumentPath {
    /// A random id: 119 bits.
    public static func randomID() -> String {
        var generator = SystemRandomNumberGenerator()
        return randomID(using: &generator)
    }

    /// As ``randomID()``, from a generator of the caller's.
    public static func randomID(using generator: inout some RandomNumberGenerator) -> String {
        id(UInt64.random(in: 0..<half, using: &generator), UInt64.random(in: 0..<half, using: &generator))
    }

    /// An id that is greater, by its bytes, than those of earlier times, so that documents made one after another stand
    /// one after another in an index of paths: 9 characters of the time in microseconds, then 65 random bits.
    ///
    /// - Parameter time: of the years 1970 to 2398; one before or after counts as the first or last moment of these.
    public static func timeOrderedID(at time: Timestamp) -> String {
        var generator = SystemRandomNumberGenerator()
        return timeOrderedID(at: time, using: &generator)
    }

    /// As ``timeOrderedID(at:)``, from a generator of the caller's.
    public static func timeOrderedID(at time: Timestamp, using generator: inout some RandomNumberGenerator) -> String {
        let moment = min(UInt64(max(time.microseconds, 0)), half / radix - 1)
        return id(
            moment * radix + UInt64.random(in: 0..<radix, using: &generator),
            UInt64.random(in: 0..<half, using: &generator))
    }

    /// In the order of their bytes.
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let radix: UInt64 = 62
    private static let halfLength = 10
    /// The number of texts of half the length. The system's generator is a call of the kernel's for each number that it
    /// makes, so an id is made of two.
    private static let half = (0..<halfLength).reduce(1 as UInt64) { power, _ in power * radix }

    private static func id(_ first: UInt64, _ second: UInt64) -> String {
        String(unsafeUninitializedCapacity: 2 * halfLength) { text in
            write(first, to: text[..<halfLength])
            write(second, to: text[halfLength..<2 * halfLength])
            return 2 * halfLength
        }
    }

    private static func write(_ number: UInt64, to text: Slice<UnsafeMutableBufferPointer<UInt8>>) {
        var (text, number) = (text, number)
        for index in text.indices.reversed() {
            text[index] = alphabet[Int(number % radix)]
            number /= radix
        }
    }
}
