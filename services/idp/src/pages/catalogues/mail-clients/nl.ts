import type { MailClientTexts } from "./en.ts";

export const mailClients: MailClientTexts = {
  "mail_clients.title": "Uw mailprogramma instellen",
  "mail_clients.intro": "Kies waar u {address} wilt gebruiken.",
  "mail_clients.apple": "iPhone, iPad of Mac",
  "mail_clients.apple_hint": "De app Mail van Apple, met een profiel",
  "mail_clients.android_hint": "Thunderbird voor Android, met een QR-code",
  "mail_clients.thunderbird_hint": "Op Windows, macOS of Linux",
  "mail_clients.outlook_hint": "Op Windows, macOS of een telefoon",
  "mail_clients.other": "Ander programma",
  "mail_clients.other_hint": "Elk mailprogramma met IMAP",
  "mail_client.title": "{client} instellen",
  "mail_client.add":
    "Voeg in {client} een mailaccount toe met het adres {address}. De serverinstellingen worden automatisch gevonden.",
  "mail_client.other_add":
    "Voeg een mailaccount toe met het adres {address}. Veel programma’s vinden de serverinstellingen zelf. Lukt dat niet, voer dan de instellingen hieronder in.",
  "mail_client.oauth":
    "Als er een inlogpagina van {brand} opent, logt u daar in. U hebt dan geen app-wachtwoord nodig.",
  "mail_client.password": "Als er om een wachtwoord wordt gevraagd, voert u een app-wachtwoord in. Maak het hier.",
  "mail_client.own_password": "Als er om een wachtwoord wordt gevraagd, voert u het wachtwoord van uw account in.",
  "mail_client.outlook_imap": "Als er om het accounttype wordt gevraagd, kiest u IMAP.",
  "mail_client.outlook_cloud":
    "Het nieuwe Outlook en Outlook op telefoons halen uw mail op via de servers van Microsoft, die ook het wachtwoord opslaan.",
  "mail_client.apple_create":
    "Maak een profiel. Het bevat de serverinstellingen en een nieuw app-wachtwoord voor uw apparaat.",
  "mail_client.apple_open": "Open het profiel op het apparaat: download het daar of scan de QR-code met de camera.",
  "mail_client.apple_install": "Open op het apparaat Instellingen en volg de melding over het gedownloade profiel.",
  "mail_client.android_create": "Maak een app-wachtwoord. Het wordt met een QR-code getoond.",
  "mail_client.android_scan": "Importeer in Thunderbird voor Android een account en scan de QR-code.",
  "mail_client.android_other":
    "Voeg in een andere app een account toe met het adres {address} en voer het app-wachtwoord in.",
  "mail_client.android_type": "Lukt scannen niet? Voeg een account met uw adres toe en voer het app-wachtwoord in:",
  "mail_client.settings": "Serverinstellingen",
  "mail_client.port": "Poort {port}",
  "mail_client.make_profile": "Profiel maken",
  "mail_client.profile_ready": "Uw profiel is klaar",
  "mail_client.profile_once":
    "Het profiel bevat een app-wachtwoord. U kunt het één keer downloaden, binnen 10 minuten.",
  "mail_client.download": "Profiel downloaden",
  "mail_client.profile_scan": "Scan voor een ander apparaat deze QR-code met de camera van dat apparaat:",
  "mail_client.qr_secret": "De QR-code bevat het app-wachtwoord. Deel hem niet.",
  "mail_client.qr_label": "QR-code voor uw apparaat",
  "remove.app_password_title": "App-wachtwoord ‘{name}’ verwijderen?",
  "remove.app_password_text":
    "De app of het apparaat dat het gebruikt, kan dan niet meer inloggen. U kunt dit niet ongedaan maken.",
};
