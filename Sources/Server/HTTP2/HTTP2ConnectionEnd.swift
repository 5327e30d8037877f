/// The reason that a connection ends.
enum HTTP2ConnectionEnd: Equatable {
    /// All requests are finished.
    case done
    /// A head was not complete in time.
    case slowHead
    /// The client violated the protocol and has been sent a GOAWAY.
    case connectionError
    case tooManyResets
    case tooManyFrames

    /// `true` if the client seems hostile, so that no more bytes are read from it.
    var isMisuse: Bool { self == .connectionError || self == .tooManyResets || self == .tooManyFrames }
}
