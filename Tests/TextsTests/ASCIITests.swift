import Testing
import Texts

@Suite("Classes of ASCII characters")
struct ASCIITests {
    @Test("A byte is in the classes of its ASCII character, and a byte beyond ASCII is in none")
    func classes() {
        for byte in UInt8.min...UInt8.max {
            let character = byte < 0x80 ? Character(Unicode.Scalar(byte)) : "\u{E9}"
            let isASCII = character.isASCII
            #expect(byte.isASCIIDigit == character.isWholeNumber, "\(byte)")
            #expect(byte.isASCIILetter == (isASCII && character.isLetter), "\(byte)")
            #expect(byte.isASCIIUppercaseLetter == (isASCII && character.isUppercase), "\(byte)")
            #expect(byte.isASCIILetterOrDigit == (isASCII && (character.isLetter || character.isNumber)), "\(byte)")
            #expect(byte.isASCIIHexDigit == character.isHexDigit, "\(byte)")
            let isOfBase64URL = byte.isASCIILetterOrDigit || character == "-" || character == "_"
            #expect(byte.isBase64URL == isOfBase64URL, "\(byte)")
            #expect(byte.isASCIILowercaseHexDigit == (character.isHexDigit && !character.isUppercase), "\(byte)")
        }
    }

    @Test("Only the capital letters of ASCII become small ones")
    func lowercased() {
        for byte in UInt8.min...UInt8.max {
            let small = byte < 0x80 ? Character(Unicode.Scalar(byte)).lowercased().utf8.first : byte
            #expect(byte.asciiLowercased == small, "\(byte)")
        }
    }
}
