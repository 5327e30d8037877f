/// A received body with photos: a form with any number of them, or a single photo.
struct UploadedBody: Sendable {
    /// The name of the form's parts that contain photos.
    static let photoField = "photo"
    /// The maximum number of parts besides photos. The largest grid of days and times has fewer.
    private static let maximumOtherParts = 1_000

    /// `true` if the sender declares the body as a form.
    let isForm: Bool
    private let bytes: [UInt8]
    private let contentType: String?
    private let limits: PhotoLimits

    init(_ bytes: [UInt8], contentType: String?, limits: PhotoLimits) {
        self.bytes = bytes
        self.contentType = contentType
        self.limits = limits
        isForm = contentType?.lowercased().hasPrefix("multipart/") == true
    }

    /// Reads the body as a form.
    func form() throws(HumanTasksError) -> MultipartForm {
        do throws(MultipartForm.Problem) {
            return try MultipartForm(
                bytes, contentType: contentType, maximumParts: limits.count + Self.maximumOtherParts,
                files: [Self.photoField])
        } catch {
            switch error {
            case .tooManyParts: throw .tooManyPhotos(limits.count)
            case .textTooLarge: throw .tooLarge
            default: throw .malformedForm
            }
        }
    }

    /// Returns the contents of the photos in the form, or the body if it is not empty.
    func contents() throws(HumanTasksError) -> [ArraySlice<UInt8>] {
        guard isForm else { return bytes.isEmpty ? [] : [bytes[...]] }
        return try form().photos.map(\.content)
    }

    /// Checks the contents of photos.
    func pictures(of contents: [ArraySlice<UInt8>]) throws(HumanTasksError) -> [Picture] {
        var pictures: [Picture] = []
        for content in contents { pictures.append(try Picture(content, atMost: limits.bytes)) }
        return pictures
    }
}

extension MultipartForm {
    /// The parts that contain photos. A file input without a chosen file is not one of them.
    var photos: [Part] { parts.filter { $0.name == UploadedBody.photoField && !$0.isUnchosen } }
}

extension MultipartForm.Part {
    /// `true` for a file input without a chosen file.
    fileprivate var isUnchosen: Bool { content.isEmpty && (filename ?? "").isEmpty }
}
