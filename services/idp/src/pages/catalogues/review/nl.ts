import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Ongebruikelijke inlogpogingen: {count}",
  "review.title": "Was u dit?",
  "review.intro": "Bij deze inlogpogingen is uw wachtwoord gebruikt. Ze lijken ongebruikelijk.",
  "review.none_title": "Ongebruikelijke inlogpogingen",
  "review.none": "Er zijn geen ongebruikelijke inlogpogingen.",
  "review.unknown_place": "Onbekende plaats",
  "review.time": "Tijd:",
  "review.program": "App:",
  "review.refused": "Deze inlogpoging is geblokkeerd.",
  "review.mine": "Ja, dat was ik",
  "review.how_to_confirm":
    "Wilt u een inlogpoging bevestigen? Gebruik een apparaat waarop u al vóór al deze inlogpogingen was ingelogd, of verificatie in twee stappen die u daarvoor al had ingesteld.",
  "review.doubted_title": "Er is een eerder bewijs nodig",
  "review.doubted_text":
    "Er waren ongebruikelijke inlogpogingen op uw account. Gebruik om verder te gaan een apparaat waarop u daarvoor al was ingelogd, of verificatie in twee stappen die u daarvoor al had ingesteld. Hebt u geen van beide, neem dan contact op met de helpdesk.",
  "review.not_mine_text":
    "Herkent u een van deze inlogpogingen niet? Beveilig dan uw account: u wordt uitgelogd op alle andere apparaten en in alle apps, uw app-wachtwoorden worden verwijderd en toepassingen worden ontkoppeld. Wijzig daarna uw wachtwoord.",
  "review.not_mine": "Nee, beveilig mijn account",
  "review.change_password": "Wachtwoord wijzigen",
  "review.check_text":
    "Als iemand anders uw wachtwoord kende, controleer dan ook de verificatie in twee stappen: verwijder authenticator-apps en passkeys die niet van u zijn en maak nieuwe herstelcodes.",
  "review.check": "Verificatie in twee stappen controleren",
  "done.sign_in_confirmed": "Bedankt. U hebt bevestigd dat u dit was.",
  "done.account_secured":
    "U bent uitgelogd op alle andere apparaten en in alle apps, en uw app-wachtwoorden zijn verwijderd. Wijzig nu uw wachtwoord.",
};
