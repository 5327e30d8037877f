internal import NIOCore
internal import NIOHTTP1

/// The position of a decoder in a request, known from the parts that have come out of it.
///
/// Parts are followed only while bytes that may be an `Upgrade` field are decoded; otherwise noting one costs a branch.
final class RequestProgress {
    private(set) var isFollowed = false
    /// A Boolean value indicating whether the last request had the field.
    private(set) var isUpgrade = false
    /// A Boolean value indicating whether the last part of the current piece was a request's end.
    private(set) var hasEnded = false
    /// Bytes missing of a body with a `Content-Length`; `nil` outside of one.
    private(set) var remainingBody: Int?

    func follow() {
        isFollowed = true
        (isUpgrade, hasEnded, remainingBody) = (false, false, nil)
    }

    func unfollow() { isFollowed = false }

    func beginPiece() { hasEnded = false }

    func note(_ part: HTTPServerRequestPart) {
        guard isFollowed else { return }
        switch part {
        case .head(let head):
            hasEnded = false
            isUpgrade = head.headers.contains(name: "upgrade")
            remainingBody = head.headers.first(name: "content-length").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        case .body(let bytes):
            remainingBody = remainingBody.flatMap { $0 > bytes.readableBytes ? $0 - bytes.readableBytes : nil }
        case .end: (hasEnded, remainingBody) = (true, nil)
        }
    }
}
