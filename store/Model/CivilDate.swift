/// A day of the proleptic Gregorian calendar, and its number counted from 1970-01-01.
///
/// Counting years from March puts the leap day last, so that month lengths follow one formula and 400 years are one
/// period of 146,097 days.
struct CivilDate: Hashable {
    let year: Int
    let month: Int
    let day: Int

    /// Nil for a day that the month does not have.
    init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), (1...Self.length(ofMonth: month, year: year)).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    init(daysSince1970: Int) {
        let sinceMarch0 = daysSince1970 + Self.daysFromYear0To1970
        let period = (sinceMarch0 >= 0 ? sinceMarch0 : sinceMarch0 - 146_096) / 146_097
        let dayOfPeriod = sinceMarch0 - period * 146_097
        let yearOfPeriod = (dayOfPeriod - dayOfPeriod / 1_460 + dayOfPeriod / 36_524 - dayOfPeriod / 146_096) / 365
        let dayOfYear = dayOfPeriod - (365 * yearOfPeriod + yearOfPeriod / 4 - yearOfPeriod / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfPeriod + period * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSince1970: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let period = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
        let yearOfPeriod = yearFromMarch - period * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfPeriod = yearOfPeriod * 365 + yearOfPeriod / 4 - yearOfPeriod / 100 + dayOfYear
        return period * 146_097 + dayOfPeriod - Self.daysFromYear0To1970
    }

    /// From 0000-03-01.
    private static let daysFromYear0To1970 = 719_468

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
