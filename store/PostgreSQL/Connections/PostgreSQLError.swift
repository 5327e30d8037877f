import CPostgreSQL
import DocumentStore

/// An error of the server or of the connection to it.
struct PostgreSQLError: Error, CustomStringConvertible {
    /// The code of five characters ([error codes](https://www.postgresql.org/docs/15/errcodes-appendix.html)); `nil` if
    /// the connection failed.
    let code: String?
    let description: String

    /// `true` if the database asks to try again: the transaction conflicted with another one, or waited for it in a
    /// circle.
    var isConflict: Bool { code == "40001" || code == "40P01" }

    /// `true` if a row was there that the statement was to insert.
    var isDuplicate: Bool { code == "23505" }

    /// `true` if the connection cannot be used any longer.
    var isLost: Bool { code == nil || code?.hasPrefix("57P") == true || code?.hasPrefix("08") == true }

    /// Reads the error of a result.
    init(_ result: OpaquePointer?, _ connection: OpaquePointer?) {
        code = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
        let text = PQresultErrorField(result, Int32(UInt8(ascii: "M"))) ?? PQerrorMessage(connection)
        description = Self.line(text)
    }

    /// Reads the error of a connection.
    init(_ connection: OpaquePointer?) {
        code = nil
        description = Self.line(PQerrorMessage(connection))
    }

    private static func line(_ text: UnsafePointer<CChar>?) -> String {
        text.map {
            String(cString: $0).split(whereSeparator: \.isNewline)
                .map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
        } ?? "unknown error"
    }
}

extension StoreError {
    /// Translates an error of libpq, the server or the decoder for the caller.
    init(wrapping error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as PostgreSQLError: self.init(error)
        default: self.init(.internal, Self.failureMessage, cause: error)
        }
    }

    private init(_ error: PostgreSQLError) {
        let (code, message): (Code, String) =
            switch error.code.map({ ($0, $0.prefix(2)) }) {
            case ("53100", _)?: (.resourceExhausted, "the database's disk is full and nothing was applied")
            // The character is not in the repertoire: PostgreSQL stores every character but U+0000.
            case ("22021", _)?: (.invalidArgument, "a name contains U+0000, which PostgreSQL cannot store")
            case (_, "40")?: (.aborted, "another commit intervened; try again")
            case nil, (_, "08")?, (_, "53")?, (_, "57")?, (_, "25")?:
                (.unavailable, "the database cannot be reached or does not accept changes; try again later")
            default: (.internal, Self.failureMessage)
            }
        self.init(code, message, cause: error)
    }
}
