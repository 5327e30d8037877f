import QRCodes
import Testing

@Suite("QR codes")
struct QRCodeTests {
    @Test("A reader finds the text in the code", arguments: ["a", "pushgate.dev", "/try#0a1b2c3d"])
    func content(text: String) throws {
        let code = try #require(QRCode(text))
        #expect(try SmallCodeReader(code).text == text)
    }

    @Test("A code has the three patterns by which readers find it")
    func patterns() throws {
        let code = try #require(QRCode("https://push.example.com/try#000G40R40M30E209185GR38E1W"))
        #expect(code.width == 33)
        let pattern = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]
        for (top, left) in [(0, 0), (0, 26), (26, 0)] {
            let rows = (0..<7).map { row in
                String((0..<7).map { code.isDark(row: top + row, column: left + $0) ? "#" : "." as Character })
            }
            #expect(rows == pattern, "at \(top), \(left)")
        }
    }

    @Test("A text that no code has room for, and an empty one, have no code")
    func limits() {
        #expect(QRCode(String(repeating: "x", count: 2_331))?.width == 177)
        for text in [String(repeating: "x", count: 2_332), "", "a\0b"] { #expect(QRCode(text) == nil) }
    }

    @Test("The lines show the modules with a margin, two rows in each line")
    func lines() throws {
        let code = try #require(QRCode("pushgate.dev"))
        let lines = code.lines.map(Array.init)
        #expect(lines.count == 15 && lines.allSatisfy { $0.count == 29 })
        for (number, line) in lines.enumerated() {
            for (place, character) in line.enumerated() {
                let (row, column) = (2 * number - 4, place - 4)
                #expect(code.isDark(row: row, column: column) == "█▀".contains(character))
                #expect(code.isDark(row: row + 1, column: column) == "█▄".contains(character))
            }
        }
        #expect(lines[0].allSatisfy { $0 == " " })
        #expect(lines[2][4] == "█")
    }

    @Test("The path draws each dark module once, within the margin")
    func path() throws {
        let code = try #require(QRCode("pushgate.dev"))
        var drawn: Set<[Int]> = []
        var count = 0
        for run in code.path.matches(of: /M(\d+) (\d+)h(\d+)v1h-(\d+)z/) {
            let (column, row) = (try #require(Int(run.1)), try #require(Int(run.2)))
            let length = try #require(Int(run.3))
            #expect(run.3 == run.4)
            count += length
            for step in 0..<length { drawn.insert([row - 4, column - 4 + step]) }
        }
        let all = (0..<code.width).flatMap { row in (0..<code.width).map { [row, $0] } }
        #expect(drawn == Set(all.filter { code.isDark(row: $0[0], column: $0[1]) }))
        #expect(drawn.count == count && code.imageWidth == 29)
    }
}

/// A reader of codes of version 1, which have 21 modules on a side, by the rules of ISO/IEC 18004. It corrects no
/// errors.
private struct SmallCodeReader {
    let text: String

    private static let width = 21

    init(_ code: QRCode) throws {
        try #require(code.width == Self.width)
        let mask = Self.mask(of: code)
        var bits: [Bool] = []
        for (row, column) in Self.places where !Self.isFunction(row, column) {
            bits.append(code.isDark(row: row, column: column) != Self.isInverted(row, column, mask))
        }
        func number(at start: Int, _ count: Int) -> Int {
            bits[start..<start + count].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
        // The mode of bytes, then their number.
        try #require(bits.count == 208 && number(at: 0, 4) == 4)
        text = String(decoding: (0..<number(at: 4, 8)).map { UInt8(number(at: 12 + 8 * $0, 8)) }, as: UTF8.self)
    }

    /// Returns the number of the mask, from the first five bits of the format.
    private static func mask(of code: QRCode) -> Int {
        let format = (0..<5).reduce(0) { $0 << 1 | (code.isDark(row: 8, column: $1) ? 1 : 0) } ^ 0b10101
        return format & 7
    }

    /// The places of a code, in pairs of columns from the right, up and down in turn. One column has only a pattern.
    private static var places: [(row: Int, column: Int)] {
        let columns = [20, 18, 16, 14, 12, 10, 8, 5, 3, 1]
        return columns.enumerated().flatMap { number, column in
            (0..<width).flatMap { step -> [(row: Int, column: Int)] in
                let row = number.isMultiple(of: 2) ? width - 1 - step : step
                return [(row, column), (row, column - 1)]
            }
        }
    }

    /// Returns `true` for the places of the patterns, and of the format.
    private static func isFunction(_ row: Int, _ column: Int) -> Bool {
        row == 6 || column == 6 || row < 9 && (column < 9 || column > 12) || row > 12 && column < 9
    }

    private static func isInverted(_ row: Int, _ column: Int, _ mask: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }
}
