import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "Nietypowe logowania: {count}",
  "review.title": "Czy to Ty?",
  "review.intro": "Podczas tych logowań użyto Twojego hasła, ale wyglądają one nietypowo.",
  "review.none_title": "Nietypowe logowania",
  "review.none": "Nie ma nietypowych logowań.",
  "review.unknown_place": "Nieznane miejsce",
  "review.time": "Czas:",
  "review.program": "Aplikacja:",
  "review.refused": "To logowanie zostało zablokowane.",
  "review.mine": "Tak, to ja",
  "review.how_to_confirm":
    "Aby potwierdzić logowanie, użyj urządzenia, na którym Twoja sesja trwała już przed wszystkimi tymi logowaniami, albo weryfikacji dwuetapowej skonfigurowanej przed nimi.",
  "review.doubted_title": "Potrzebne jest wcześniejsze potwierdzenie",
  "review.doubted_text":
    "Na Twoim koncie wystąpiły nietypowe logowania. Aby kontynuować, użyj urządzenia, na którym Twoja sesja trwała już przed nimi, albo weryfikacji dwuetapowej skonfigurowanej przed nimi. Jeśli nie masz ani jednego, ani drugiego, skontaktuj się z pomocą techniczną.",
  "review.not_mine_text":
    "Jeśli nie rozpoznajesz któregoś z tych logowań, zabezpiecz konto: nastąpi wylogowanie na wszystkich innych urządzeniach i we wszystkich aplikacjach, hasła aplikacji zostaną usunięte, a aplikacje odłączone. Następnie zmień hasło.",
  "review.not_mine": "Nie, zabezpiecz moje konto",
  "review.change_password": "Zmień hasło",
  "review.check_text":
    "Jeśli ktoś inny znał Twoje hasło, sprawdź też weryfikację dwuetapową: usuń aplikacje uwierzytelniające i klucze dostępu, które nie należą do Ciebie, i utwórz nowe kody odzyskiwania.",
  "review.check": "Sprawdź weryfikację dwuetapową",
  "done.sign_in_confirmed": "Dziękujemy. Logowanie zostało potwierdzone.",
  "done.account_secured":
    "Nastąpiło wylogowanie na wszystkich innych urządzeniach i we wszystkich aplikacjach, a hasła aplikacji zostały usunięte. Zmień teraz hasło.",
};
