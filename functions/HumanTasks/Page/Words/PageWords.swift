/// The words of the recipient's page in one language. They are no part of the answer, whose values are those of the
/// task.
struct PageWords: Sendable {
    static let english = PageWords(.english)

    let language: PageLanguage
    private let phrases: [Phrase: String]

    init(_ language: PageLanguage) {
        self.language = language
        phrases = Self.phrases(in: language)
    }

    /// Returns a phrase with values in the places that `{name}` marks.
    func callAsFunction(_ phrase: Phrase, _ values: [String: String] = [:]) -> String {
        pieces(of: phrase).map { $0.isPlace ? values[$0.text] ?? "" : $0.text }.joined()
    }

    /// Returns a phrase with markup in the places that `{name}` marks.
    func html(_ phrase: Phrase, _ values: [String: HTML]) -> HTML {
        let parts = pieces(of: phrase).map { $0.isPlace ? values[$0.text] ?? "" : "\($0.text)" as HTML }
        return "\(parts)"
    }

    /// The weekdays, Sunday first.
    var weekdays: [String] { list(.weekdays) }
    /// The months, January first.
    var months: [String] { list(.months) }

    private func list(_ phrase: Phrase) -> [String] { self(phrase).split(separator: " ").map(String.init) }

    private func pieces(of phrase: Phrase) -> [(text: String, isPlace: Bool)] {
        var pieces: [(text: String, isPlace: Bool)] = []
        let parts = (phrases[phrase] ?? phrase.rawValue).split(separator: "{", omittingEmptySubsequences: false)
        for (number, part) in parts.enumerated() {
            guard number > 0, let end = part.firstIndex(of: "}") else {
                pieces.append((String(part), false))
                continue
            }
            pieces.append((String(part[..<end]), true))
            pieces.append((String(part[part.index(after: end)...]), false))
        }
        return pieces
    }

    static func phrases(in language: PageLanguage) -> [Phrase: String] {
        switch language {
        case .english: englishPhrases
        case .german: germanPhrases
        case .french: frenchPhrases
        case .spanish: spanishPhrases
        case .arabic: arabicPhrases
        }
    }
}

extension PageWords {
    /// A text of the page. Every language has all of them.
    enum Phrase: String, CaseIterable, Sendable {
        // The form.
        case someone, asksForSomething, asksYouForSomething, notSentYet, asksYou, through, hi, hello, done, sending
        case anyoneCanAnswer, goesTo, anythingToAdd, yourAnswer, optional, yourName, answeredBefore
        case chooseOne, chooseSeveral, whichDays, whenFree, noneOfThese, hasAnswered, whoAreYou
        case photos, morePhotos, photoArrived, photosArrived, onePhoto, upToPhotos, photoLimits, photoLimitsTogether
        case chosenPhotos
        // Problems with entries.
        case nothingChosen, noOptionChosen, shortenText, addPhoto, writeAnswer, writeAnswerOrPhoto, chooseName
        case onlyNamed, enterName, shorterName, nameAnswered, somebodyAnswered, noMorePhotosFit, onlyMoreFit, aFile
        case fileTooLarge, notAPhoto, chooseAtMost, chooseFewer
        // Pages without a form.
        case thankYou, onItsWay, onItsWayToSomebody, alreadyDone, alreadyDoneText, noMoreAnswers, noMoreAnswersText
        case tooLate, tooLateText, tooLateTextSomebody, nothingHere, nothingHereText, notJustNow, notJustNowText
        case ourMistake, ourMistakeText, tooManyPhotos, tooManyOne, tooManyText, tooMuch, tooMuchText
        case didNotWork, didNotWorkText
        // Days.
        case weekdays, months, day
    }
}
