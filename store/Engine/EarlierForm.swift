/// The forms of stored data that only builds before version 0.1.0 wrote. No engine reads them.
package enum EarlierForm {
    /// The last commit whose builds bring such data to the present form.
    package static let lastConversion = "da64fcb9"

    /// Returns the error for data of such a form.
    ///
    /// - Parameter data: The subject and the verb of a sentence, such as “the file has tables”.
    package static func refusal(of data: String) -> StoreError {
        StoreError(
            .failedPrecondition,
            "\(data) of a build before 0.1.0; start a build of commit \(lastConversion) on this data once, which "
                + "converts it, and then this version")
    }
}
