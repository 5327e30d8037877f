internal import HTTPTypes
internal import Hummingbird

/// `GET /`: a page for people who find the address in a browser. It says what runs here and nothing about this gateway.
enum HomeEndpoint {
    static func add(to router: Router<GatewayRequestContext>) {
        router.get("/") { _, _ in response }
    }

    private static var response: Response {
        Response(status: .ok, headers: headerFields, body: ResponseBody(byteBuffer: ByteBuffer(string: HomePage.html)))
    }

    private static let headerFields: HTTPFields = {
        var fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentLength: String(HomePage.html.utf8.count),
            .contentSecurityPolicy: HomePage.contentSecurityPolicy, .xContentTypeOptions: "nosniff",
            .cacheControl: "no-cache",
        ]
        for (name, value) in [("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY")] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }()
}
