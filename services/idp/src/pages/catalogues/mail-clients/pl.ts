import type { MailClientTexts } from "./en.ts";

export const mailClients: MailClientTexts = {
  "mail_clients.title": "Skonfiguruj program pocztowy",
  "mail_clients.intro": "Wybierz, gdzie chcesz używać adresu {address}.",
  "mail_clients.apple": "iPhone, iPad lub Mac",
  "mail_clients.apple_hint": "Aplikacja Mail firmy Apple, z profilem",
  "mail_clients.android_hint": "Thunderbird na Androida, z kodem QR",
  "mail_clients.thunderbird_hint": "W systemie Windows, macOS lub Linux",
  "mail_clients.outlook_hint": "W systemie Windows, macOS lub na telefonie",
  "mail_clients.other": "Inny program",
  "mail_clients.other_hint": "Dowolny program pocztowy z IMAP",
  "mail_client.title": "Konfiguracja: {client}",
  "mail_client.add":
    "W programie {client} dodaj konto pocztowe z adresem {address}. Ustawienia serwerów zostaną znalezione automatycznie.",
  "mail_client.other_add":
    "Dodaj konto pocztowe z adresem {address}. Wiele programów samodzielnie znajduje ustawienia serwerów. Jeśli Twój tego nie robi, wpisz ustawienia podane poniżej.",
  "mail_client.oauth":
    "Jeśli otworzy się strona logowania {brand}, zaloguj się na niej. Hasło aplikacji nie jest wtedy potrzebne.",
  "mail_client.password": "Gdy pojawi się pytanie o hasło, wpisz hasło aplikacji. Utwórz je tutaj.",
  "mail_client.own_password": "Gdy pojawi się pytanie o hasło, wpisz hasło swojego konta.",
  "mail_client.outlook_imap": "Jeśli pojawi się pytanie o typ konta, wybierz IMAP.",
  "mail_client.outlook_cloud":
    "Nowy Outlook i Outlook na telefonach pobierają pocztę przez serwery firmy Microsoft, które przechowują też hasło.",
  "mail_client.apple_create":
    "Utwórz profil. Zawiera ustawienia serwerów i nowe hasło aplikacji dla Twojego urządzenia.",
  "mail_client.apple_open": "Otwórz profil na urządzeniu: pobierz go tam lub zeskanuj kod QR aparatem.",
  "mail_client.apple_install": "Na urządzeniu otwórz Ustawienia i postępuj zgodnie z informacją o pobranym profilu.",
  "mail_client.android_create": "Utwórz hasło aplikacji. Zostanie wyświetlone z kodem QR.",
  "mail_client.android_scan": "W programie Thunderbird na Androida zaimportuj konto i zeskanuj kod QR.",
  "mail_client.android_other": "W dowolnej innej aplikacji dodaj konto z adresem {address} i wpisz hasło aplikacji.",
  "mail_client.android_type": "Jeśli nie możesz go zeskanować, dodaj konto ze swoim adresem i wpisz hasło aplikacji:",
  "mail_client.settings": "Ustawienia serwerów",
  "mail_client.port": "Port {port}",
  "mail_client.make_profile": "Utwórz profil",
  "mail_client.profile_ready": "Twój profil jest gotowy",
  "mail_client.profile_once": "Profil zawiera hasło aplikacji. Można go pobrać tylko raz, w ciągu 10 minut.",
  "mail_client.download": "Pobierz profil",
  "mail_client.profile_scan": "Na innym urządzeniu zeskanuj ten kod QR jego aparatem:",
  "mail_client.qr_secret": "Kod QR zawiera hasło aplikacji. Nie udostępniaj go.",
  "mail_client.qr_label": "Kod QR dla Twojego urządzenia",
  "remove.app_password_title": "Usunąć hasło aplikacji „{name}”?",
  "remove.app_password_text":
    "Aplikacja lub urządzenie, które go używa, nie będzie już mogło się zalogować. Tego nie można cofnąć.",
};
