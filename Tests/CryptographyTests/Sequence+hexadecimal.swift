extension Sequence<UInt8> {
    /// Two lower-case digits for each byte, by another way than the product's.
    var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
