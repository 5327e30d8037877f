import CQREncode

/// A QR code (ISO/IEC 18004): a square of dark and light modules, in the smallest version that has room for its text.
package struct QRCode: Hashable, Sendable {
    /// The number of light modules that readers need on each side of the square.
    package static let margin = 4

    /// The number of modules on a side, without the margin.
    package let width: Int
    /// The modules, row by row: `true` if dark.
    private let modules: [Bool]

    /// Encodes a text with the error correction M, which survives the loss of 15 % of the square.
    ///
    /// Returns `nil` for a text that is empty, contains U+0000 or has more than 2,331 bytes.
    package init?(_ text: String) {
        guard !text.utf8.contains(0), let code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1) else {
            return nil
        }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard let data = code.pointee.data else { return nil }
        self.width = width
        // The lowest bit is the colour; the others are the encoder's own.
        modules = UnsafeBufferPointer(start: data, count: width * width).map { $0 & 1 == 1 }
    }

    /// Returns `true` if a module is dark. All modules outside the square are light.
    package func isDark(row: Int, column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column]
    }
}

/// The forms in which a code is shown.
extension QRCode {
    /// The code and its margin as lines of text, of which each has two rows. The characters are the dark modules, so
    /// the text needs a light background.
    package var lines: [String] {
        let columns = -Self.margin..<width + Self.margin
        return stride(from: -Self.margin, to: width + Self.margin, by: 2).map { row in
            String(
                columns.map { column -> Character in
                    switch (isDark(row: row, column: column), isDark(row: row + 1, column: column)) {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                })
        }
    }

    /// The dark modules as the path of an SVG image, in which a module is a square of one unit, and the margin is at
    /// its beginning and end.
    package var path: String {
        var path = ""
        for row in 0..<width {
            var column = 0
            while column < width {
                let start = column
                while isDark(row: row, column: column) { column += 1 }
                if column > start {
                    path += "M\(start + Self.margin) \(row + Self.margin)h\(column - start)v1h-\(column - start)z"
                }
                column += 1
            }
        }
        return path
    }

    /// The width of the image with the ``path``.
    package var imageWidth: Int { width + 2 * Self.margin }
}
