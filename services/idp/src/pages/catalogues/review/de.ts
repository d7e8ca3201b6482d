import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Ungewöhnliche Anmeldungen: {count}",
  "review.title": "Waren Sie das?",
  "review.intro": "Bei diesen Anmeldungen wurde Ihr Passwort verwendet, und sie sind ungewöhnlich.",
  "review.none": "Es gibt keine ungewöhnlichen Anmeldungen.",
  "review.unknown_place": "Unbekannter Ort",
  "review.time": "Zeit:",
  "review.program": "App:",
  "review.refused": "Diese Anmeldung wurde blockiert.",
  "review.mine": "Ja, das war ich",
  "review.how_to_confirm":
    "Bestätigen können Sie eine Anmeldung auf einem Gerät, auf dem Sie schon vorher angemeldet waren, oder mit der Bestätigung in zwei Schritten.",
  "review.not_mine_text":
    "Falls Sie es einmal nicht waren: Damit melden Sie sich auf allen anderen Geräten und in allen Apps ab, löschen Ihre App-Passwörter und trennen Anwendungen. Ändern Sie danach Ihr Passwort.",
  "review.not_mine": "Nein, Konto schützen",
  "review.change_password": "Passwort ändern",
  "done.sign_in_confirmed": "Danke. Die Anmeldung ist bestätigt.",
  "done.account_secured":
    "Alle anderen Geräte, Apps und App-Passwörter haben keinen Zugriff mehr. Ändern Sie jetzt Ihr Passwort.",
};
