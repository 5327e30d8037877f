/// The words of the page in English.
extension PageWords {
    static let englishPhrases: [Phrase: String] = [
        .someone: "Someone",
        .asksForSomething: "{asker} asks {recipient} for something",
        .asksYouForSomething: "{asker} asks you for something",
        .notSentYet: "Not sent yet",
        .asksYou: "asks you",
        .through: "through",
        .hi: "Hi {name},",
        .hello: "Hello,",
        .done: "Done",
        .sending: "Sending…",
        .anyoneCanAnswer: "Anyone who has this link can answer, until {day}.",
        .goesTo: "What you send goes to {asker}.",
        .anythingToAdd: "Anything to add?",
        .yourAnswer: "Your answer",
        .optional: "(optional)",
        .yourName: "Your name",
        .answeredBefore: "You have answered, and your answer counts. Others can still answer here.",
        .chooseOne: "Choose one",
        .chooseSeveral: "Choose what you like",
        .whichDays: "Which days suit you?",
        .whenFree: "When are you free?",
        .noneOfThese: "None of these",
        .hasAnswered: "has answered",
        .whoAreYou: "Who are you?",
        .photos: "Photos",
        .morePhotos: "More photos",
        .photoArrived: "1 photo has arrived.",
        .photosArrived: "{count} photos have arrived.",
        .onePhoto: "One photo",
        .upToPhotos: "Up to {count} photos",
        .photoLimits: "{photos}, {megabytes} MB each at the most.",
        .photoLimitsTogether: "{photos}, {megabytes} MB each and {total} MB together at the most.",
        .chosenPhotos: "Chosen photos",
        .nothingChosen: "Choose what suits you, or “None of these”.",
        .noOptionChosen: "Choose at least one.",
        .shortenText: "Shorten the text to {count} characters.",
        .addPhoto: "Add a photo.",
        .writeAnswer: "Write an answer.",
        .writeAnswerOrPhoto: "Write an answer, or add a photo.",
        .chooseName: "Choose your name.",
        .onlyNamed: "Only those who are named here can answer.",
        .enterName: "Enter your name.",
        .shorterName: "Enter a shorter name, of 50 letters.",
        .nameAnswered: "{name} has answered already.",
        .somebodyAnswered: """
        Somebody called {name} has answered already. If that was you, all is done; if \
        not, add a letter of your last name.
        """,
        .noMorePhotosFit: "No more photos fit.",
        .onlyMoreFit: "Only {count} more fit: the others were left out.",
        .aFile: "A file",
        .fileTooLarge: "{name} is larger than {megabytes} MB. Choose a smaller one.",
        .notAPhoto: "{name} is not a photo that can be taken. Choose a JPEG, PNG, GIF, WebP or HEIC.",
        .chooseAtMost: "Choose at most {count} photos.",
        .chooseFewer: "Choose fewer photos, of {total} MB together at the most. Others can follow.",
        .thankYou: "Thank you",
        .onItsWay: "Your answer is on its way to {asker}. You can close this page.",
        .onItsWayToSomebody: "Your answer is on its way to the person who asked. You can close this page.",
        .alreadyDone: "Already done",
        .alreadyDoneText: "This has been answered already, so there is nothing left to do. Thank you.",
        .noMoreAnswers: "No more answers",
        .noMoreAnswersText: "This request cannot take more answers. Tell the person who sent you the link.",
        .tooLate: "Too late",
        .tooLateText: "This request can no longer be answered. Ask {asker} for a new link if it still matters.",
        .tooLateTextSomebody: """
        This request can no longer be answered. Ask the person who sent it for a new \
        link if it still matters.
        """,
        .nothingHere: "Nothing here",
        .nothingHereText: """
        This link leads nowhere. Perhaps it was not copied whole, or the request was \
        removed: look at the message it came in.
        """,
        .notJustNow: "Not just now",
        .notJustNowText: """
        This does not work at the moment. If you sent an answer, it was not taken: go \
        back and try again in a few seconds. What you entered should still be there.
        """,
        .ourMistake: "Our mistake",
        .ourMistakeText: """
        Something went wrong here, through no fault of yours. Try again later; if it \
        still fails, tell the person who sent you the link.
        """,
        .tooManyPhotos: "Too many photos",
        .tooManyOne: "One photo is the most that can be taken. Go back and choose fewer.",
        .tooManyText: "{count} photos are the most that can be taken. Go back and choose fewer.",
        .tooMuch: "Too much at once",
        .tooMuchText: """
        The photos are larger than {megabytes} MB together. Go back and send fewer at a \
        time, or smaller ones.
        """,
        .didNotWork: "That did not work",
        .didNotWorkText: """
        Your answer did not arrive whole. Go back and try again: what you entered \
        should still be there.
        """,
        .weekdays: "Sun Mon Tue Wed Thu Fri Sat",
        .months: "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
        .day: "{weekday} {day} {month} {year}",
    ]
}
