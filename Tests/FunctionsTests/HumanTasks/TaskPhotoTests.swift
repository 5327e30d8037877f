import DocumentStore
import Functions
import HTTPTypes
import JSON
import Synchronization
import TestDoubles
import Testing

@Suite("Human tasks: photos", .timeLimit(.minutes(10)))
struct TaskPhotoTests {
    private func upload(
        _ bench: HumanTasksBench, _ task: String, _ body: [UInt8], type: String = Pictures.formType,
        address: String = "192.0.2.1"
    ) async throws -> FunctionResponse {
        try await bench.call(
            .post, "/api/hits/\(task)/photos", bytes: body, headers: [.contentType: type], address: address)
    }

    @Test("Photos of a form are stored, counted, listed oldest first, and served to the device")
    func form() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files)
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone)
        let answer = try await upload(
            bench, task, Pictures.form([Pictures.jpeg, Pictures.png], [("name", "Sarah"), ("other", "photo")]))
        #expect(answer.status == .created && answer.body["photo_count"] == 2)
        let photos = try #require(answer.body["photos"]?.array)
        let id = try #require(photos[0]["id"]?.string)
        #expect(
            photos[0] == [
                "id": .string(id), "hit_id": .string(task), "r2_key": .string("hits/\(task)/\(id).jpg"),
                "file_size": .integer(Int64(Pictures.jpeg.count)), "content_type": "image/jpeg",
                "uploaded_at": bench.time,
                "url": .string("https://tasks.example.com/api/hits/\(task)/photos/\(id)"),
            ])
        #expect(photos[1]["content_type"] == "image/png")
        bench.clock.advance(by: .seconds(1))
        _ = try await upload(bench, task, Pictures.gif, type: "image/jpeg")
        let list = try await bench.call(.get, "/api/hits/\(task)/photos", headers: phone.headers)
        #expect(list.body["hit_id"] == .string(task) && list.body["count"] == 3)
        #expect(list.body["photos"]?[2]?["content_type"] == "image/gif")
        #expect(list.body["photos"]?.array?.contains(photos[0]) == true)
        let shown = try await bench.call(.get, "/api/hits/\(task)/photos/\(id)", headers: phone.agentHeaders)
        #expect(shown.status == .ok && shown.mediaType == "image/jpeg")
        #expect(try await shown.pieces() == [Pictures.jpeg])
        #expect(shown.headerFields[.xContentTypeOptions] == "nosniff")
        #expect(shown.headerFields[.contentDisposition] == "inline; filename=\"\(task)-\(id).jpg\"")
        let row = try await bench.call(.get, "/api/hits/\(task)")
        #expect(row.body["photo_count"] == 3 && row.body["status"] == "in_progress")
        #expect(files.names.count == 3 && files.names.allSatisfy { $0.hasPrefix(task + "/") })
    }

    @Test("A photo is served in pieces, and fails if its file is removed meanwhile")
    func pieces() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files)
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone)
        let large = Pictures.jpeg + (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let added = try await upload(bench, task, large, type: "image/jpeg")
        let id = try #require(added.body["photos"]?[0]?["id"]?.string)
        let shown = try await bench.call(.get, "/api/hits/\(task)/photos/\(id)", headers: phone.headers)
        let pieces = try await shown.pieces()
        #expect(pieces.count == 3 && Array(pieces.joined()) == large)
        try await files.removeFolder(task)
        await #expect(throws: FileStorageError.self) { try await shown.pieces() }
    }

    @Test("Photos are listed and served only to the device that created the task")
    func privacy() async throws {
        let bench = try HumanTasksBench()
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone)
        let added = try await upload(bench, task, Pictures.jpeg, type: "image/jpeg")
        let id = try #require(added.body["photos"]?[0]?["id"]?.string)
        let stranger = try await bench.makePhone("Stranger")
        for path in ["/api/hits/\(task)/photos", "/api/hits/\(task)/photos/\(id)"] {
            #expect(try await bench.call(.get, path) == .task(.unauthorized, "Missing X-Device-ID header"))
            #expect(try await bench.call(.get, path, headers: .device("x")) == .task(.forbidden, "Unknown device"))
            #expect(try await bench.call(.get, path, headers: stranger.headers) == .task(.notFound, "HIT not found"))
        }
        for other in ["aaaaaaaaaaaaaaaaaaaa", "..%2F..%2Flock", "%2e%2e", "\(id).jpg"] {
            let answer = try await bench.call(.get, "/api/hits/\(task)/photos/\(other)", headers: phone.headers)
            #expect(answer == .task(.notFound, "Photo not found"), "\(other)")
        }
    }

    @Test(
        "The type of a photo follows its bytes, whatever the client says",
        arguments: [
            (Pictures.jpeg, "image/jpeg", "jpg"), (Pictures.png, "image/png", "png"),
            (Pictures.gif, "image/gif", "gif"),
            (Pictures.webP, "image/webp", "webp"), (Pictures.heic, "image/heic", "heic"),
            (Pictures.heif, "image/heif", "heif"),
        ])
    func types(bytes: [UInt8], type: String, ending: String) async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files)
        let task = try await bench.ask(try await bench.makePhone())
        let answer = try await upload(bench, task, bytes, type: "text/html")
        #expect(answer.body["photos"]?[0]?["content_type"] == .string(type))
        #expect(files.names.first?.hasSuffix("." + ending) == true)
    }

    @Test(
        "A file that is not a photo is refused with the whole upload, and nothing is stored",
        arguments: [
            (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), "image/svg+xml"),
            (Array("<html>".utf8), "image/jpeg"), (Array("%PDF-1.7".utf8), "image/png"), ([0xFF, 0xD8], "image/jpeg"),
            ([0, 0, 0, 24] + Array("ftypisom".utf8), "image/heic"), (Array("RIFF1234WAVE".utf8), "image/webp"),
            (Pictures.form([Pictures.jpeg, Array("no picture".utf8)]), Pictures.formType),
        ])
    func noPhotos(bytes: [UInt8], type: String) async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files)
        let task = try await bench.ask(try await bench.makePhone())
        let answer = try await upload(bench, task, bytes, type: type)
        #expect(
            answer == .task(.unsupportedMediaType, "Not a photo: JPEG, PNG, GIF, WebP, HEIC and HEIF are taken"))
        #expect(files.names.isEmpty)
        #expect(try await bench.status(task) == "pending")
    }

    @Test("An upload without a photo, or with a malformed form, is refused")
    func missing() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        let none = FunctionResponse.task(.badRequest, "No photo in request body")
        let unchosen = Array(
            ("------WebKitFormBoundaryABC\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"\"\r\n\r\n"
                + "\r\n------WebKitFormBoundaryABC--")
                .utf8)
        #expect(try await upload(bench, task, [], type: "image/jpeg") == none)
        #expect(try await upload(bench, task, Pictures.form([], [("photos", "x")])) == none)
        #expect(try await upload(bench, task, unchosen) == none)
        for (body, type) in [
            (Pictures.form([Pictures.jpeg]), "multipart/form-data"), (Pictures.jpeg, Pictures.formType),
            (Array(Pictures.form([Pictures.jpeg]).dropLast(10)), Pictures.formType), ([], Pictures.formType),
        ] {
            let answer = try await upload(bench, task, body, type: type)
            #expect(answer == .task(.badRequest, "Malformed multipart body"))
        }
    }

    @Test("A photo may be a form part without a filename, and other parts must be small")
    func parts() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        let large = String(repeating: "a", count: 65_537)
        let photo = try await upload(bench, task, Pictures.form([], [("photo", "GIF89a" + large)]))
        #expect(photo.status == .created)
        let other = try await upload(bench, task, Pictures.form([Pictures.gif], [("text", large)]))
        #expect(other == .task(.contentTooLarge, "Request body too large"))
    }

    @Test("Photos are limited in size and number")
    func limits() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(
            files: files,
            configure: {
                $0.maximumPhotoBytes = 1_024
                $0.maximumPhotos = 2
            })
        let task = try await bench.ask(try await bench.makePhone())
        let large = Pictures.jpeg + Array(repeating: 0, count: 1_024)
        let tooLarge = FunctionResponse.task(.contentTooLarge, "Photo larger than 1024 bytes")
        #expect(try await upload(bench, task, large, type: "image/jpeg") == tooLarge)
        #expect(try await upload(bench, task, Pictures.form([Pictures.png, large])) == tooLarge)
        let huge = Array(repeating: UInt8(0), count: 2 * 1_024 + 65_537)
        #expect(
            try await upload(bench, task, huge, type: "image/jpeg") == .task(.contentTooLarge, "Request body too large")
        )
        let tooMany = FunctionResponse.task(.conflict, "HIT takes at most 2 photos")
        #expect(try await upload(bench, task, Pictures.form([Pictures.png, Pictures.gif, Pictures.jpeg])) == tooMany)
        #expect(files.names.isEmpty)
        #expect(try await upload(bench, task, Array(large.prefix(1_024)), type: "image/jpeg").status == .created)
        #expect(try await upload(bench, task, Pictures.form([Pictures.png])).status == .created)
        #expect(try await upload(bench, task, Pictures.form([Pictures.gif])) == tooMany)
        #expect(files.names.count == 2)
    }

    @Test("Concurrent uploads do not exceed the limit of photos and leave no file without a document")
    func race() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files, configure: { $0.maximumPhotos = 3 })
        let task = try await bench.ask(try await bench.makePhone())
        let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for number in UInt8(0)..<8 {
                group.addTask {
                    try await upload(
                        bench, task, Pictures.jpeg + [number], type: "image/jpeg", address: "192.0.2.\(number)"
                    ).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == .created } == 3 && statuses.count { $0 == .conflict } == 5)
        #expect(files.names.count == 3)
    }

    @Test("A repeated photo is neither stored nor counted again, also with concurrent uploads")
    func repetition() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files, configure: { $0.maximumPhotos = 2 })
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone)
        let first = try await upload(bench, task, Pictures.form([Pictures.jpeg, Pictures.png, Pictures.jpeg]))
        #expect(first.status == .created && first.body["photo_count"] == 2 && first.body["photos"]?.array?.count == 2)
        bench.clock.advance(by: .seconds(1))
        #expect(try await upload(bench, task, Pictures.form([Pictures.jpeg, Pictures.png])) == first)
        #expect(
            try await upload(bench, task, Pictures.jpeg, type: "image/jpeg").body["photos"]?[0]
                == first.body["photos"]?[0])
        let list = try await bench.call(.get, "/api/hits/\(task)/photos", headers: phone.headers)
        #expect(list.body["count"] == 2 && files.names.count == 2)
        let id = first.body["photos"]?[0]?["id"]?.string ?? ""
        #expect(id.wholeMatch(of: /[A-Za-z0-9]{20}/) != nil)
        let other = try await bench.ask(phone)
        let counts = try await withThrowingTaskGroup(of: JSONValue?.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await upload(bench, other, Pictures.gif, type: "image/gif", address: "192.0.2.\(number)")
                        .body["photo_count"]
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 1, count: 8))
        #expect(files.names.count { $0.hasPrefix(other) } == 1)
        let photo = try await bench.call(.get, "/api/hits/\(other)/photos", headers: phone.headers)
            .body["photos"]?[0]
        let shown = try await bench.call(
            .get, "/api/hits/\(other)/photos/\(photo?["id"]?.string ?? "")", headers: phone.headers)
        let pieces = try await shown.pieces()
        #expect(shown.mediaType == "image/gif" && Array(pieces.joined()) == Pictures.gif)
    }

    @Test("Photos for a completed or expired task are refused")
    func closed() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files, configure: { $0.lifetime = .seconds(60) })
        let phone = try await bench.makePhone()
        let (done, late) = (try await bench.ask(phone), try await bench.ask(phone))
        _ = try await bench.call(.patch, "/api/hits/\(done)/complete")
        bench.clock.advance(by: .seconds(60))
        for (task, text) in [(done, "HIT is completed"), (late, "HIT has expired")] {
            #expect(try await upload(bench, task, Pictures.jpeg, type: "image/jpeg") == .task(.badRequest, text))
        }
        #expect(try await upload(bench, "aaaaaaaa", Pictures.jpeg) == .task(.notFound, "HIT not found"))
        #expect(files.names.isEmpty)
    }

    @Test("A photo that cannot be stored is not recorded, and a failed commit removes its file")
    func fullDisk() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files)
        let phone = try await bench.makePhone()
        let task = try await bench.ask(phone)
        let expected = FunctionResponse.task(.serviceUnavailable, "Try again in a few seconds", [.retryAfter: "5"])
        files.state.withLock { $0.isFull = true }
        #expect(try await upload(bench, task, Pictures.jpeg, type: "image/jpeg") == expected)
        files.state.withLock { $0.isFull = false }
        bench.store.set { $0.beforeCommit = { _ throws(StoreError) in throw .diskFull } }
        let full = FunctionResponse.task(.serviceUnavailable, .noRoom, [.retryAfter: "5"])
        #expect(try await upload(bench, task, Pictures.form([Pictures.jpeg, Pictures.png])) == full)
        bench.store.set { $0.beforeCommit = { _ in } }
        #expect(files.names.isEmpty)
        let list = try await bench.call(.get, "/api/hits/\(task)/photos", headers: phone.headers)
        #expect(list.body["photos"] == [] && list.body["count"] == 0)
        #expect(
            bench.log.lines.contains { $0.contains("failed to read or write a file") && $0.contains("no space left") })
    }

    @Test("Slow uploads that announce the largest size do not block other photos")
    func announced() async throws {
        let bench = try HumanTasksBench()
        let task = try await bench.ask(try await bench.makePhone())
        let slow = try SlowUpload(bench, task, length: 64 * 1024 * 1024)
        try await withThrowingTaskGroup(of: FunctionResponse.self) { group in
            for number in 0..<20 { group.addTask { await slow.send("192.0.2.\(number % 2)") } }
            try await eventually("all uploads are being read") { slow.begun == 20 }
            for address in ["192.0.2.0", "192.0.2.9"] {
                let photo = try await upload(bench, task, Pictures.jpeg, type: "image/jpeg", address: address)
                #expect(photo.status == .created)
            }
            slow.gate.open()
            for try await answer in group { #expect(answer.status == .created) }
        }
    }

    @Test("Tasks that ended long ago are removed with answers, photos and files")
    func retention() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(
            files: files,
            configure: {
                $0.lifetime = .seconds(86_400)
                $0.retention = .seconds(10 * 86_400)
            })
        let phone = try await bench.makePhone()
        let expired = try await bench.ask(phone)
        let completed = try await bench.ask(phone)
        for task in [expired, completed] {
            _ = try await upload(bench, task, Pictures.jpeg, type: "image/jpeg")
            _ = try await bench.call(
                .post, "/api/hits/\(task)/respond", ["respondent_name": "Tom", "response_data": [:]])
        }
        _ = try await bench.call(.patch, "/api/hits/\(completed)/complete")
        let job = try #require(bench.system.jobs.first { $0.name == "humantasks-clean-up" })
        bench.clock.advance(by: .seconds(10 * 86_400))
        try await job.run()
        #expect(try await bench.documents(in: "humanTasks").count == 2)
        bench.clock.advance(by: .seconds(1))
        try await job.run()
        #expect(try await bench.documents(in: "humanTasks").map(\.path.id) == [expired])
        #expect(files.names.count == 1)
        bench.clock.advance(by: .seconds(86_400))
        let young = try await bench.ask(phone)
        try await job.run()
        #expect(try await bench.documents(in: "humanTasks").map(\.path.id) == [young])
        for collection in ["responses", "photos"] {
            #expect(try await bench.documents(in: "humanTasks/\(expired)/\(collection)").isEmpty)
        }
        #expect(files.names.isEmpty)
    }

    @Test("Files of interrupted uploads are removed after an hour, and no others")
    func orphans() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(files: files)
        let task = try await bench.ask(try await bench.makePhone())
        _ = try await upload(bench, task, Pictures.jpeg, type: "image/jpeg")
        let kept = try #require(files.names.first)
        files.put(Pictures.jpeg, at: kept, age: .seconds(86_400))
        files.put([1], at: "\(task)/left.jpg", age: .seconds(3_600))
        files.put([1], at: "\(task)/new.jpg", age: .seconds(3_599))
        files.put([1], at: "aaaaaaaa/left.jpg", age: .seconds(3_600))
        files.put([1], at: "somebody-elses/left.jpg", age: .seconds(3_600))
        files.put([1], at: "bbbbbbbb/.DS_Store", age: .seconds(3_600))
        files.put([1], at: "bbbbbbbb/left.jpg.new-12-3fa", age: .seconds(3_600))
        let job = try #require(bench.system.jobs.first)
        try await job.run()
        #expect(
            files.names == [kept, "\(task)/new.jpg", "somebody-elses/left.jpg", "bbbbbbbb/.DS_Store"].sorted())
    }

    @Test("A file that cannot be removed does not block the clean-up and is tried again")
    func stuck() async throws {
        let files = MemoryFiles()
        let bench = try HumanTasksBench(
            files: files,
            configure: {
                $0.lifetime = .seconds(60)
                $0.newTasksPerHourPerDevice = 0
            })
        let phone = try await bench.makePhone()
        var tasks: [String] = []
        for _ in 0..<102 { tasks.append(try await bench.ask(phone)) }
        files.state.withLock { $0.stuck = [tasks[0], "aaaaaaaa"] }
        for folder in ["aaaaaaaa", "zzzzzzzz"] { files.put([1], at: folder + "/left.jpg", age: .seconds(3_600)) }
        bench.clock.advance(by: .seconds(40 * 86_400))
        let job = try #require(bench.system.jobs.first)
        let error = await #expect(throws: (any Error).self) { try await job.run() }
        #expect(
            error.map { "\($0)" }
                == "failed to remove 2 old tasks or files; the first error: the folder is stuck")
        #expect(try await bench.documents(in: "humanTasks").map(\.path.id) == [tasks[0]])
        #expect(files.names == ["aaaaaaaa/left.jpg"])
        files.state.withLock { $0.stuck = [] }
        try await job.run()
        #expect(try await bench.documents(in: "humanTasks").isEmpty)
        #expect(files.names.isEmpty)
    }
}

extension FunctionResponse {
    fileprivate var mediaType: String? { if case .file(_, let type) = content { type } else { nil } }

    /// Reads the pieces of a served file.
    fileprivate func pieces() async throws -> [[UInt8]] {
        guard case .file(let contents, _) = content else { return [] }
        var pieces: [[UInt8]] = []
        while pieces.joined().count < contents.size {
            pieces.append(try await contents.piece(from: pieces.joined().count))
        }
        return pieces
    }
}
