import Functions
import HTTPTypes
import JSON
import TestDoubles
import Testing

@Suite("Human tasks: uploading a photo", .timeLimit(.minutes(10)))
struct PhotoUploadTests {
    private func upload(
        _ bench: HumanTasksBench, _ task: String, _ body: [UInt8], type: String? = nil
    ) async throws -> FunctionResponse {
        var headers: HTTPFields = [:]
        headers[.contentType] = type
        return try await bench.call(.post, "/api/hits/\(task)/upload", bytes: body, headers: headers)
    }

    @Test("An uploaded photo, as body or in a form, is answered with its id, key and size")
    func answers() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files)
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone)
        for (body, type, size) in [
            (Pictures.jpeg, nil, Pictures.jpeg.count), (Pictures.png, "application/octet-stream", Pictures.png.count),
            (Pictures.form([Pictures.gif]), Pictures.formType, Pictures.gif.count),
        ] {
            let answer = try await upload(bench, task, body, type: type)
            let id = try #require(answer.body["photo_id"]?.string)
            let key = try #require(answer.body["r2_key"]?.string)
            #expect(key.hasPrefix("hits/\(task)/\(id)."))
            #expect(
                answer
                    == .json(
                        .created,
                        ["photo_id": .string(id), "r2_key": .string(key), "file_size": .integer(Int64(size))]))
            let list = try await bench.call(.get, "/api/hits/\(task)/photos", headers: phone.headers)
            let photo = list.body["photos"]?.array?.first { $0["id"] == .string(id) }
            #expect(photo?["r2_key"] == .string(key) && photo?["file_size"] == .integer(Int64(size)))
        }
        let row = try await bench.call(.get, "/api/hits/\(task)")
        #expect(row.body["photo_count"] == 3 && row.body["status"] == "in_progress" && files.names.count == 3)
    }

    @Test("A refused photo is answered with the contract's text")
    func refusals() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files, configure: { $0.maximumPhotoBytes = 1_048_576 })
        let task = try await bench.ask(try await bench.makePhone())
        let large = Pictures.jpeg + Array(repeating: 0, count: 1_048_576)
        let empty = Array(
            ("------WebKitFormBoundaryABC\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"\r\n\r\n"
                + "\r\n------WebKitFormBoundaryABC--")
                .utf8)
        for (body, type, status, text) in [
            ([], nil, .badRequest, "Empty photo data"), ([], "image/jpeg", .badRequest, "Empty photo data"),
            (empty, Pictures.formType, .badRequest, "Empty photo data"),
            (Pictures.form([], [("picture", "x")]), Pictures.formType, .badRequest, "No photo file in form data"),
            (large, nil, .badRequest, "Photo too large (max 1MB)"),
            (Pictures.form([large]), Pictures.formType, .badRequest, "Photo too large (max 1MB)"),
            (Array(repeating: 0, count: 65 << 20), nil, .badRequest, "Photo too large (max 1MB)"),
            (Array("--x".utf8), Pictures.formType, .badRequest, "Malformed multipart body"),
            (
                Array("<svg/>".utf8), "image/jpeg", .unsupportedMediaType,
                "Not a photo: JPEG, PNG, GIF, WebP, HEIC and HEIF are taken"
            ),
        ] as [([UInt8], String?, HTTPResponse.Status, String)] {
            #expect(try await upload(bench, task, body, type: type) == .task(status, text))
        }
        #expect(try await upload(bench, "aaaaaaaa", Pictures.jpeg) == .task(.notFound, "HIT not found"))
        #expect(files.names.isEmpty)
    }

    @Test("A photo may have 10 MB by default")
    func largest() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        let photo = Pictures.jpeg + Array(repeating: 0, count: (10 << 20) - Pictures.jpeg.count)
        #expect(try await upload(bench, task, photo).status == .created)
        #expect(
            try await upload(bench, task, photo + [1]) == .task(.badRequest, "Photo too large (max 10MB)"))
    }

    @Test("An upload to a completed or expired task is refused")
    func closed() async throws {
        let bench = try HumanTasksBench(configure: { $0.lifetime = .seconds(60) })
        let phone = try await bench.makePhone()
        let (done, late) = (try await bench.ask(phone), try await bench.ask(phone))
        _ = try await bench.call(.patch, "/api/hits/\(done)/complete")
        bench.clock.advance(by: .seconds(60))
        #expect(try await upload(bench, done, Pictures.jpeg) == .task(.badRequest, "HIT is completed"))
        #expect(try await upload(bench, late, Pictures.jpeg) == .task(.badRequest, "HIT has expired"))
    }
}
