import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Ongebruikelijke aanmeldingen: {count}",
  "review.title": "Was u dit?",
  "review.intro": "Voor deze aanmeldingen is uw wachtwoord gebruikt, en ze zijn ongebruikelijk.",
  "review.none": "Er zijn geen ongebruikelijke aanmeldingen.",
  "review.unknown_place": "Onbekende plaats",
  "review.time": "Tijd:",
  "review.program": "App:",
  "review.refused": "Deze aanmelding is geblokkeerd.",
  "review.mine": "Ja, dat was ik",
  "review.how_to_confirm":
    "Bevestig een aanmelding op een apparaat waarop u daarvoor al aangemeld was, of met verificatie in twee stappen.",
  "review.not_mine_text":
    "Was u een van deze niet? Hiermee meldt u zich af op alle andere apparaten en in alle apps, verwijdert u uw app-wachtwoorden en ontkoppelt u toepassingen. Wijzig daarna uw wachtwoord.",
  "review.not_mine": "Nee, beveilig mijn account",
  "review.change_password": "Wachtwoord wijzigen",
  "done.sign_in_confirmed": "Bedankt. De aanmelding is bevestigd.",
  "done.account_secured":
    "Alle andere apparaten, apps en app-wachtwoorden hebben geen toegang meer. Wijzig nu uw wachtwoord.",
};
