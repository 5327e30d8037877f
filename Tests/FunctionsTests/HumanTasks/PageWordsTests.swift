import Testing

@testable import Functions

@Suite("Human tasks: words of the recipient's page")
struct PageWordsTests {
    @Test("Every language has every phrase, with the places of the English one", arguments: PageLanguage.allCases)
    func phrases(language: PageLanguage) {
        let (phrases, english) = (PageWords.phrases(in: language), PageWords.phrases(in: .english))
        func places(_ text: String?) -> [String] {
            (text ?? "").matches(of: /\{[a-z]+\}/).map { String($0.output) }.sorted()
        }
        for phrase in PageWords.Phrase.allCases {
            #expect(phrases[phrase]?.isEmpty == false, "\(phrase)")
            #expect(places(phrases[phrase]) == places(english[phrase]), "\(phrase)")
        }
        let words = PageWords(language)
        #expect(words.weekdays.count == 7 && Set(words.weekdays).count == 7)
        #expect(words.months.count == 12 && Set(words.months).count == 12)
    }

    @Test(
        "The language is the first of the browser's that the page speaks, by their weights",
        arguments: [
            (nil, .english), ("", .english), ("de-AT,de;q=0.9,en;q=0.5", .german), ("ar", .arabic),
            ("en;q=0.5, fr;q=0.8", .french), ("ja,es-MX;q=0.7,en;q=0.1", .spanish), ("ja", .english),
            ("de;q=0, en", .english), ("*", .english), ("DE", .german), (";;,q=1,-,fr;q=x,es;q=0.1", .spanish),
        ] as [(String?, PageLanguage)])
    func choice(field: String?, language: PageLanguage) {
        #expect(PageLanguage(accepting: field) == language)
    }

    @Test("Values are put into their places as they are, and escaped in markup")
    func values() {
        let words = PageWords(.german)
        #expect(words(.hi, ["name": "{asker} & <b>"]) == "Hallo {asker} & <b>,")
        #expect(words(.hi) == "Hallo ,")
        let name = "<b>"
        let markup = words.html(.goesTo, ["asker": "<bdi>\(name)</bdi>"]).description
        #expect(markup == "Was du sendest, geht an <bdi>&lt;b&gt;</bdi>.")
        #expect(CalendarText.readable("2026-12-01", words) == "Di 1. Dez. 2026")
        #expect(CalendarText.readable("2026-12-01", PageWords(.arabic)) == "الثلاثاء 1 ديسمبر 2026")
    }
}
