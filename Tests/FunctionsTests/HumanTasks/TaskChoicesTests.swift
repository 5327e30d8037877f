import JSON
import Testing

@testable import Functions

@Suite("Human tasks: options to choose from")
struct TaskChoicesTests {
    private func labels(_ type: String, _ config: JSONValue) throws -> [String]? {
        var fields = CheckedFields(["task_description": "x", "hit_type": .string(type), "config": config])
        return TaskChoices(TaskRequest(&fields))?.options.map(\.label)
    }

    @Test(
        "The options of a task are read from every form in which its config has them",
        arguments: [
            (
                "poll", ["options": ["A", 2, 2.5, ["text": "B"], ["other": 1], nil, true, "  "]],
                ["A", "2", "2.5", "B"]
            ),
            ("poll", ["choices": ["A"]], ["A"]), ("poll", ["options": []], nil), ("poll", [:], nil),
            ("photo", ["options": ["A"]], nil), ("poll", ["options": "A"], nil),
            ("poll", ["options": ["A", "B", "A"]], ["A", "B"]),
            (
                "poll",
                ["options": [["start": "2026-12-01T10:00:00Z", "end": "2026-12-01T11:00:00Z"], ["day": "Monday"]]],
                ["Tue 1 Dec 2026, 10:00 UTC – Tue 1 Dec 2026, 11:00 UTC", "Monday"]
            ),
            ("group_poll", ["options": ["A", "B"]], ["A", "B"]), ("availability", ["options": ["A"]], nil),
        ] as [(String, JSONValue, [String]?)])
    func options(type: String, config: JSONValue, expected: [String]?) throws {
        #expect(try labels(type, config) == expected)
    }

    @Test("The options of a task are limited to 60 of 200 characters")
    func bounds() throws {
        let many = JSONValue.array((0..<100).map { .string("\($0)") })
        #expect(try labels("poll", ["options": many])?.count == 60)
        let long = try labels("poll", ["options": [.string(String(repeating: "a", count: 500))]])
        #expect(long?.first?.utf16.count == 200)
    }

    @Test(
        "A day in an option is written for people, and other texts stay unchanged",
        arguments: [
            ("2026-12-01", "Tue 1 Dec 2026"), ("2024-02-29", "Thu 29 Feb 2024"), ("1969-12-31", "Wed 31 Dec 1969"),
            ("2026-12-01T10:00:00.000Z", "Tue 1 Dec 2026, 10:00 UTC"), ("2026-12-01 10:00", "Tue 1 Dec 2026, 10:00"),
            ("2026-12-01T10:00:00+02:00", "Tue 1 Dec 2026, 10:00 +02:00"), ("2026-12-01T25:00", "2026-12-01T25:00"),
            ("2026-13-01", "2026-13-01"), ("2025-02-29", "2025-02-29"), ("Friday", "Friday"), ("", ""),
        ])
    func days(text: String, expected: String) {
        #expect(CalendarText.readable(text) == expected)
    }
}
