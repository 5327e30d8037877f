import DocumentStore
import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "An RFC 3339 text is read with any fraction and offset",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000001Z", 1), ("1969-12-31T23:59:59.999999Z", -1),
            ("2000-02-29T12:30:45.5Z", 951_827_445_500_000), ("2000-02-29T12:30:45.123456789Z", 951_827_445_123_456),
            ("2000-02-29T14:30:45+02:00", 951_827_445_000_000), ("2000-02-29t07:00:45-05:30", 951_827_445_000_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000_000), ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
        ] as [(String, Int64)])
    func parsing(text: String, microseconds: Int64) throws {
        #expect(try Timestamp(parsing: text).microseconds == microseconds)
    }

    @Test(
        "An invalid timestamp text is refused",
        arguments: [
            "", "2024-05-01", "2024-05-01T12:00:00", "2024-13-01T12:00:00Z", "2023-02-29T12:00:00Z",
            "2024-05-01T24:00:00Z", "2024-05-01T12:60:00Z", "2024-05-01T12:00:00.Z", "2024-05-01T12:00:00Zx",
            "0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2024-5-1T12:00:00Z",
        ])
    func refusal(text: String) async {
        #expect(Timestamp(text) == nil)
        await expectError(.invalidArgument) { try Timestamp(parsing: text) }
    }

    @Test("A timestamp is written with six digits, and its texts sort like the moments")
    func writing() {
        let moments = [Int64.min, -1, 0, 1, 951_827_445_500_000, .max].map { Timestamp(microseconds: $0) }
        #expect(
            moments.map(\.description) == [
                "0001-01-01T00:00:00.000000Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00.000000Z",
                "1970-01-01T00:00:00.000001Z", "2000-02-29T12:30:45.500000Z", "9999-12-31T23:59:59.999999Z",
            ])
        #expect(moments.map(\.description) == moments.map(\.description).sorted())
        for moment in moments {
            var text = "at "
            moment.append(to: &text)
            #expect(text == "at \(moment.description)")
        }
        #expect(moments == moments.sorted())
    }

    @Test(
        "Every day of 400 years, and every 97th of 10,000, is read back as written",
        arguments: [("1800-01-01T00:00:00Z", 146_098, 1), ("0001-01-01T00:00:00Z", 37_651, 97)])
    func days(start: String, count: Int64, step: Int64) throws {
        let first = try Timestamp(parsing: start)
        var previous = ""
        for index in 0..<count {
            let moment = Timestamp(microseconds: first.microseconds + index * step * 86_400_000_000)
            let text = moment.description
            try #require(Timestamp(text) == moment && text > previous, "\(text), \(moment.microseconds)")
            previous = text
        }
        #expect(previous.hasPrefix(step == 1 ? "2200-01-01" : "9999-"))
    }

    @Test("Timestamps add and subtract durations and stop at the ends of time")
    func arithmetic() {
        let moment = Timestamp(microseconds: 1_500_000)
        #expect(moment.adding(.milliseconds(250)).microseconds == 1_750_000)
        #expect(moment.adding(.seconds(-2)).microseconds == -500_000)
        #expect(moment.adding(.nanoseconds(999)) == moment)
        #expect(moment - Timestamp(microseconds: 500_000) == .seconds(1))
        #expect(moment.adding(.seconds(Int64.max)) == .distantFuture)
        #expect(moment.adding(.seconds(Int64.min)) == .distantPast)
        #expect(Timestamp.distantFuture.adding(.seconds(1)) == .distantFuture)
    }

    @Test("A protobuf timestamp is cut to microseconds, and refused outside of the years 0001 to 9999")
    func protobuf() async throws {
        #expect(try Timestamp(seconds: -1, nanoseconds: 999_999_999).microseconds == -1)
        #expect(try Timestamp(seconds: 1, exactNanoseconds: 1_000).microseconds == 1_000_001)
        let finer = await expectError(.invalidArgument) { try Timestamp(seconds: 1, exactNanoseconds: 1_001) }
        #expect(finer?.message == "timestamp cannot have more than microseconds precision")
        for (seconds, nanoseconds) in [
            (253_402_300_800, 0), (-62_135_596_801, 0), (.max, 0), (0, -1), (0, 1_000_000_000),
        ]
            as [(Int64, Int32)]
        {
            await expectError(.invalidArgument) { try Timestamp(seconds: seconds, nanoseconds: nanoseconds) }
        }
    }

    @Test("The system's clock is later than 2024")
    func now() throws {
        #expect(Timestamp.now > (try Timestamp(parsing: "2024-01-01T00:00:00Z")))
    }
}
