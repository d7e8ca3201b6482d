import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Ungewöhnliche Anmeldungen: {count}",
  "review.title": "Waren Sie das?",
  "review.intro": "Diese Anmeldungen erfolgten mit Ihrem Passwort und wirken ungewöhnlich.",
  "review.none_title": "Ungewöhnliche Anmeldungen",
  "review.none": "Es gibt keine ungewöhnlichen Anmeldungen.",
  "review.unknown_place": "Unbekannter Ort",
  "review.time": "Zeit:",
  "review.program": "App:",
  "review.refused": "Diese Anmeldung wurde blockiert.",
  "review.mine": "Ja, das war ich",
  "review.how_to_confirm":
    "Um eine Anmeldung zu bestätigen, verwenden Sie ein Gerät, auf dem Sie schon vor all diesen Anmeldungen angemeldet waren, oder eine Bestätigung in zwei Schritten, die Sie vorher eingerichtet hatten.",
  "review.doubted_title": "Wir brauchen einen älteren Nachweis",
  "review.doubted_text":
    "Es gab ungewöhnliche Anmeldungen bei Ihrem Konto. Um fortzufahren, verwenden Sie ein Gerät, auf dem Sie schon vorher angemeldet waren, oder eine Bestätigung in zwei Schritten, die Sie schon vorher eingerichtet hatten. Wenn Sie beides nicht haben, wenden Sie sich an den Support.",
  "review.not_mine_text":
    "Wenn Sie eine dieser Anmeldungen nicht kennen, schützen Sie Ihr Konto: Sie werden auf allen anderen Geräten und in allen Apps abgemeldet, Ihre App-Passwörter werden gelöscht und der Zugriff von Anwendungen wird entfernt. Ändern Sie danach Ihr Passwort.",
  "review.not_mine": "Nein, Konto schützen",
  "review.change_password": "Passwort ändern",
  "review.check_text":
    "Wenn jemand anders Ihr Passwort kannte, prüfen Sie auch die Bestätigung in zwei Schritten: Entfernen Sie Authenticator-Apps und Passkeys, die nicht von Ihnen sind, und erstellen Sie neue Wiederherstellungscodes.",
  "review.check": "Bestätigung in zwei Schritten prüfen",
  "done.sign_in_confirmed": "Danke. Die Anmeldung ist bestätigt.",
  "done.account_secured":
    "Sie sind auf allen anderen Geräten und in allen Apps abgemeldet, und Ihre App-Passwörter sind gelöscht. Ändern Sie jetzt Ihr Passwort.",
};
