import type { MailClientTexts } from "./en.ts";

export const mailClients: MailClientTexts = {
  "mail_clients.title": "Configura il tuo programma di posta",
  "mail_clients.intro": "Scegli dove vuoi usare {address}.",
  "mail_clients.apple": "iPhone, iPad o Mac",
  "mail_clients.apple_hint": "L’app Mail di Apple, con un profilo",
  "mail_clients.android_hint": "Thunderbird per Android, con un codice QR",
  "mail_clients.thunderbird_hint": "Su Windows, macOS o Linux",
  "mail_clients.outlook_hint": "Su Windows, macOS o telefono",
  "mail_clients.other": "Altro programma",
  "mail_clients.other_hint": "Qualsiasi programma di posta con IMAP",
  "mail_client.title": "Configura {client}",
  "mail_client.add":
    "In {client}, aggiungi un account di posta con l’indirizzo {address}. Le impostazioni dei server vengono trovate automaticamente.",
  "mail_client.other_add":
    "Aggiungi un account di posta con l’indirizzo {address}. Molti programmi rilevano automaticamente le impostazioni dei server. Se il tuo non lo fa, inserisci quelle riportate sotto.",
  "mail_client.oauth":
    "Se si apre una pagina di accesso di {brand}, accedi lì. In questo caso non ti serve una password per app.",
  "mail_client.password": "Quando ti viene chiesta una password, inserisci una password per app. Creala qui.",
  "mail_client.own_password": "Quando ti viene chiesta una password, inserisci quella del tuo account.",
  "mail_client.outlook_imap": "Se ti viene chiesto il tipo di account, scegli IMAP.",
  "mail_client.outlook_cloud":
    "Il nuovo Outlook e Outlook sui telefoni ricevono la posta tramite i server di Microsoft, che memorizzano anche la password.",
  "mail_client.apple_create":
    "Crea un profilo. Contiene le impostazioni dei server e una nuova password per app per il tuo dispositivo.",
  "mail_client.apple_open":
    "Apri il profilo sul dispositivo: scaricalo lì oppure inquadra il codice QR con la fotocamera.",
  "mail_client.apple_install": "Sul dispositivo, apri Impostazioni e segui l’avviso sul profilo scaricato.",
  "mail_client.android_create": "Crea una password per app. Viene mostrata insieme a un codice QR.",
  "mail_client.android_scan": "In Thunderbird per Android, importa un account e inquadra il codice QR.",
  "mail_client.android_other":
    "In qualsiasi altra app, aggiungi un account con l’indirizzo {address} e inserisci la password per app.",
  "mail_client.android_type":
    "Se non riesci a inquadrarlo, aggiungi un account con il tuo indirizzo e inserisci la password per app:",
  "mail_client.settings": "Impostazioni dei server",
  "mail_client.port": "Porta {port}",
  "mail_client.make_profile": "Crea profilo",
  "mail_client.profile_ready": "Il tuo profilo è pronto",
  "mail_client.profile_once":
    "Il profilo contiene una password per app. Può essere scaricato una sola volta, entro 10 minuti.",
  "mail_client.download": "Scarica profilo",
  "mail_client.profile_scan": "Per un altro dispositivo, inquadra questo codice QR con la sua fotocamera:",
  "mail_client.qr_secret": "Il codice QR contiene la password per app. Non condividerlo.",
  "mail_client.qr_label": "Codice QR per il tuo dispositivo",
  "remove.app_password_title": "Eliminare la password per app “{name}”?",
  "remove.app_password_text":
    "L’app o il dispositivo che la usa non potrà più accedere. L’operazione non può essere annullata.",
};
