/// Numbers (RFC 8259 §6).
extension JSONParser {
    mutating func number() throws(JSONParsingError) -> JSONValue {
        let start = position
        _ = skip(UInt8(ascii: "-"))
        guard position < bytes.count else { throw error(.unexpectedEnd) }
        guard isDigit(at: position) else { throw error(.unexpectedByte) }
        if !skip(UInt8(ascii: "0")) { skipDigits() }
        let isInteger = try !skipFractionAndExponent()
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else {
            throw JSONParsingError(reason: .invalidNumber, offset: start)
        }
        return .double(double)
    }

    private mutating func skipFractionAndExponent() throws(JSONParsingError) -> Bool {
        var found = false
        if skip(UInt8(ascii: ".")) {
            try requireDigits()
            found = true
        }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            try requireDigits()
            found = true
        }
        return found
    }

    private func isDigit(at index: Int) -> Bool {
        index < bytes.count && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index])
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipDigits() {
        while isDigit(at: position) { position += 1 }
    }

    private mutating func requireDigits() throws(JSONParsingError) {
        guard isDigit(at: position) else { throw error(.invalidNumber) }
        skipDigits()
    }
}
