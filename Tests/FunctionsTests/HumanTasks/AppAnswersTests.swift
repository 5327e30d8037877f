import Foundation
import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Human tasks: answers as strict as the app", .timeLimit(.minutes(10)))
struct AppAnswersTests {
    private func decode<Answer: Decodable>(
        _ type: Answer.Type, _ response: FunctionResponse, status: HTTPResponse.Status = .ok
    ) throws -> Answer {
        #expect(response.status == status)
        return try JSONDecoder().decode(type, from: Data(response.body.serialized))
    }

    @Test("Answers about devices have every required field and dates in ISO 8601")
    func devices() async throws {
        let bench = try HumanTasksBench()
        let body: JSONValue = ["name": "A phone", "vendor_id": "6d2f9c3a-0b1e-4c5d-8e7f-112233445566"]
        let device = try decode(
            AppAnswers.Device.self, try await bench.call(.post, "/api/devices/register", body), status: .created)
        #expect(device.mcp_token.wholeMatch(of: /[0-9a-f]{48}/) != nil)
        let again = try decode(AppAnswers.Device.self, try await bench.call(.post, "/api/devices/register", body))
        #expect(again.id == device.id && again.registered_at.date == device.registered_at.date)
        let path = "/api/devices/\(device.id)"
        let before = try decode(AppAnswers.DeviceState.self, try await bench.call(.get, path))
        #expect(before.last_mcp_call_at == nil && before.connection_status == "not_connected")
        let headers: HTTPFields = [.authorization: "Bearer \(device.mcp_token)"]
        let stored = try await bench.call(.post, path + "/apns-token", ["token": "t"], headers: headers)
        #expect(try decode(AppAnswers.Stored.self, stored).status == "ok")
        let after = try decode(AppAnswers.DeviceState.self, try await bench.call(.get, path))
        #expect(after.last_mcp_call_at != nil && after.connection_status == "connected")
    }

    @Test("Answers about tasks have every required field, whatever the request leaves out")
    func tasks() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        func create(_ body: JSONValue) async throws -> FunctionResponse {
            try await bench.call(.post, "/api/hits", body, headers: phone.headers)
        }
        let one = try decode(
            AppAnswers.NewTask.self,
            try await create(["recipient_name": "Sarah", "task_description": "x", "config": ["a": 1]]), status: .created
        )
        #expect(one.sender_name == "Someone" && one.status == "pending" && one.photo_count == 0)
        let group = try decode(
            AppAnswers.NewGroupTask.self,
            try await create(["distribution_mode": "group", "task_description": "x", "participants": ["Tom"]]),
            status: .created)
        #expect(group.participants == ["Tom"])
        let several = try decode(
            AppAnswers.NewTasks.self,
            try await create(
                ["distribution_mode": "individual", "task_description": "x", "participants": ["Tom", "Ann"]]),
            status: .created)
        #expect(several.count == 2 && several.hits.map(\.name) == ["Tom", "Ann"])
        _ = try await create(["distribution_mode": "open", "task_description": "x"])
        let list = try decode(
            AppAnswers.TaskList.self, try await bench.call(.get, "/api/hits", headers: phone.headers))
        #expect(list.count == 5 && list.hits.count == 5)
        #expect(
            Dictionary(grouping: list.hits, by: \.recipient_name).mapValues(\.count)
                == ["Sarah": 1, "Group": 1, "Tom": 1, "Ann": 1, "Anyone": 1])
        let config = try #require(list.hits.first { $0.id == one.id }?.config)
        #expect(try JSONValue(parsing: config) == ["a": 1])
        let row = try decode(AppAnswers.TaskRow.self, try await bench.call(.get, "/api/hits/\(one.id)"))
        #expect(row.status == "in_progress" && row.started_at != nil && row.device_id == nil)
    }

    @Test("Answers about photos, responses and completion have every required field")
    func results() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone)
        let path = "/api/hits/\(task)"
        for (list, type) in [("/photos", "photos"), ("/responses", "responses")] {
            let empty = try await bench.call(.get, path + list, headers: phone.headers)
            #expect(empty == .json(.ok, ["hit_id": .string(task), type: [], "count": 0]))
        }
        let photo = try decode(
            AppAnswers.Upload.self, try await bench.call(.post, path + "/upload", bytes: Pictures.jpeg),
            status: .created)
        _ = try await bench.call(
            .post, path + "/respond",
            [
                "respondent_name": "Tom",
                "response_data": [
                    "available_slots": [["date": "2026-12-01", "time": "6 PM"]], "selected_dates": ["2026-12-01"],
                ],
            ])
        let photos = try decode(
            AppAnswers.Photos.self, try await bench.call(.get, path + "/photos", headers: phone.headers))
        #expect(photos.count == 1 && photos.photos.map(\.id) == [photo.photo_id] && photos.hit_id == task)
        let responses = try decode(
            AppAnswers.Responses.self, try await bench.call(.get, path + "/responses", headers: phone.headers))
        #expect(responses.count == 1 && responses.responses.first?.response_data.selected_dates == ["2026-12-01"])
        let completed = try decode(AppAnswers.Completed.self, try await bench.call(.patch, path + "/complete"))
        #expect(completed.id == task && completed.status == "completed" && completed.photo_count == 1)
        let failure = try await bench.call(.patch, path + "/complete")
        #expect(
            try decode(
                AppAnswers.Failure.self, failure, status: .badRequest
            ).error == "HIT already completed")
        let row = try decode(AppAnswers.TaskRow.self, try await bench.call(.get, path))
        #expect(row.response_count == 1 && row.completed_at != nil)
        let deleted = try await bench.call(.delete, path, headers: phone.headers)
        #expect(try decode(AppAnswers.Deleted.self, deleted).deleted)
        let none = try await bench.call(
            .post, "/api/hits/bulk-delete", ["older_than_days": 1], headers: phone.headers)
        #expect(try decode(AppAnswers.BulkDeleted.self, none).ids.isEmpty)
    }
}
