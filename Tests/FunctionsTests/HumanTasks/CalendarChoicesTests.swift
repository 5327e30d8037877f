import DocumentStore
import JSON
import Testing

@testable import Functions

@Suite("Human tasks: days and times to choose from")
struct CalendarChoicesTests {
    private func choices(_ type: String, _ config: JSONValue) throws -> CalendarChoices? {
        var fields = CheckedFields(["task_description": "x", "hit_type": .string(type), "config": config])
        return CalendarChoices(TaskRequest(&fields), at: try #require(Timestamp("2026-02-26T23:30:00Z")))
    }

    @Test(
        "Calendar choices are every time of every day, or slots with their own days",
        arguments: [
            (
                ["date_options": ["2026-12-02", "2026-12-01"], "time_slots": ["10:00", "noon"]],
                ["2026-12-02|10:00", "2026-12-02|noon", "2026-12-01|10:00", "2026-12-01|noon"]
            ),
            (
                ["date_options": ["2026-12-01"], "time_slots": []],
                ["5 PM", "6 PM", "7 PM", "8 PM"].map { "2026-12-01|\($0)" }
            ),
            (["days": 2, "time_slots": ["6 PM"]], ["2026-02-27|6 PM", "2026-02-28|6 PM"]),
            (["days": 2.0, "time_slots": ["6 PM"]], ["2026-02-27|6 PM", "2026-02-28|6 PM"]),
            (["days": 0, "time_slots": ["6 PM"]], ["2026-02-27|6 PM"]),
            (
                ["time_slots": ["6 PM", "6 PM", " ", 7]],
                ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02", "2026-03-03"].map { $0 + "|6 PM" }
            ),
            // The names of older versions.
            (["dates": ["2026-12-01"], "times": ["noon"]], ["2026-12-01|noon"]),
            (
                [
                    "slots": [
                        "2026-12-03T10:00", ["date": "2026-12-01", "start": "09:00", "end": "11:00"],
                        "2026-12-03 11 AM", "2026-12-03T10:00",
                        ["start": "2026-12-01T14:00", "end": "2026-12-01T15:00"],
                    ]
                ],
                [
                    "2026-12-03|10:00", "2026-12-03|11 AM", "2026-12-01|09:00 – 11:00", "2026-12-01|14:00 – 15:00",
                ]
            ),
        ] as [(JSONValue, [String])])
    func slots(config: JSONValue, expected: [String]) throws {
        #expect(try choices("availability", config)?.slots.map(\.value) == expected)
    }

    @Test("Calendar choices of a group poll are only days, and other tasks have none")
    func days() throws {
        let config: JSONValue = ["date_options": ["2026-12-01", "2026-12-02", "2026-12-01"], "time_slots": ["6 PM"]]
        let poll = try choices("group_poll", config)
        #expect(poll?.slots.map(\.json) == ["2026-12-01", "2026-12-02"] && poll?.field == "selected_dates")
        #expect(try choices("group_poll", [:]) == nil)
        for type in ["photo", "poll"] { #expect(try choices(type, config) == nil) }
    }

    @Test("Calendar choices are limited to 31 days and 24 times")
    func bounds() throws {
        let many = JSONValue.array((0..<100).map { .string("\($0)") })
        #expect(try choices("availability", ["date_options": many, "time_slots": many])?.slots.count == 31 * 24)
        #expect(try choices("availability", ["days": .integer(.max)])?.slots.count == 31 * 4)
        #expect(try choices("group_poll", ["date_options": many])?.slots.count == 31)
    }

    @Test("Calendar choices take their title from the task, if it has one")
    func titles() throws {
        let days: JSONObject = ["date_options": ["2026-12-01"]]
        func title(_ more: JSONObject) throws -> String? {
            try choices("group_poll", .object(JSONObject(days.members + more.members)))?.title
        }
        #expect(try title([:]) == nil)
        #expect(try title(["context": "Moving"]) == "Moving")
        #expect(try title(["title": "Day?", "context": "Moving"]) == "Day?")
        #expect(try title(["title": " ", "context": "Moving"]) == "Moving")
    }
}
