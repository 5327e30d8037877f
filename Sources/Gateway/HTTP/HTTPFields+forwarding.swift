internal import HTTPTypes

extension HTTPFields {
    /// The values of `X-Forwarded-For`, in order.
    var forwardedFor: [String] { filter { $0.name.canonicalName == "x-forwarded-for" }.map(\.value) }

    /// A Boolean value indicating whether a proxy says that it passed the request on, by `Forwarded` (RFC 7239) or an
    /// `X-Forwarded-…` field.
    var areForwarded: Bool {
        contains { $0.name.canonicalName == "forwarded" || $0.name.canonicalName.hasPrefix("x-forwarded-") }
    }
}
