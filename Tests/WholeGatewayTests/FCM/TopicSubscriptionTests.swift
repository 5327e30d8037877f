import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Topic subscriptions as resources", .timeLimit(.minutes(10)))
struct TopicSubscriptionTests {
    private static let path = "/v1/projects/pushgate/registrations/a/topicSubscriptions"
    private static let name = JSONValue.string("projects/pushgate/registrations/a/topicSubscriptions/news")

    @Test(
        "A topic subscription is created, read, refused as a duplicate, and deleted",
        arguments: ["topicName", "topic_name"])
    func life(parameter: String) async throws {
        try await withGateway { gateway in
            let create = "\(Self.path)?\(parameter)=news"
            let created = try await gateway.fcm(.post, create, [:])
            #expect(created.status == 200)
            #expect(created.body["name"] == Self.name && created.body["topicName"] == "news")
            #expect(created.body["createTime"]?.string?.hasSuffix("Z") == true)
            #expect(try await gateway.fcm(.get, Self.path + "/news").body == created.body)
            let again = try await gateway.fcm(.post, create, [:])
            #expect(again.status == 409 && again.body["error"]?["status"] == "ALREADY_EXISTS")
            #expect(try await gateway.fcm(.delete, Self.path + "/news").body == [:])
            for method in [HTTPRequest.Method.get, .delete] {
                let missing = try await gateway.fcm(method, Self.path + "/news")
                #expect(missing.status == 404 && missing.body["error"]?["status"] == "NOT_FOUND")
            }
        }
    }

    @Test(
        "A missing topic subscription can be deleted, or created by PATCH, if the parameter allows it",
        arguments: ["allowMissing", "allow_missing"])
    func missing(parameter: String) async throws {
        try await withGateway { gateway in
            let (news, allowed) = (Self.path + "/news", "\(Self.path)/news?\(parameter)=true")
            #expect(try await gateway.fcm(.delete, allowed).body == [:])
            #expect(try await gateway.fcm(.patch, news, [:]).status == 404)
            let made = try await gateway.fcm(.patch, allowed, [:])
            #expect(made.status == 200 && made.body["name"] == Self.name)
            #expect(try await gateway.fcm(.patch, news, [:]).body == made.body)
            #expect(try await gateway.fcm(.delete, allowed).body == [:])
            #expect(try await gateway.fcm(.get, news).status == 404)
        }
    }

    @Test(
        "Topic subscriptions are listed page by page, with either spelling of the parameters",
        arguments: [("pageSize", "pageToken"), ("page_size", "page_token")])
    func pages(size: String, token: String) async throws {
        try await withGateway { gateway in
            for topic in ["t1", "t2", "t3"] {
                _ = try await gateway.fcm(.post, Self.path + "?topicName=" + topic, [:])
            }
            var pages: [[String]] = []
            var next: String? = ""
            while let after = next {
                let page = try await gateway.fcm(.get, "\(Self.path)?\(size)=2&\(token)=\(after)").body
                pages.append((page["topicSubscriptions"]?.array ?? []).compactMap { $0["topicName"]?.string })
                next = page["nextPageToken"]?.string
            }
            #expect(pages == [["t1", "t2"], ["t3"]])
        }
    }

    @Test(
        "A topic subscription without a topic, or with an invalid one, is refused",
        arguments: ["", "?topicName=", "?topicName=a%20b"])
    func invalid(query: String) async throws {
        try await withGateway { gateway in
            let answer = try await gateway.fcm(.post, Self.path + query, [:])
            #expect(answer.status == 400 && answer.body["error"]?["status"] == "INVALID_ARGUMENT")
        }
    }
}
