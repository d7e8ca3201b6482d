import type { MailClientTexts } from "./en.ts";

export const mailClients: MailClientTexts = {
  "mail_clients.title": "E-Mail-App einrichten",
  "mail_clients.intro": "Wählen Sie, wo Sie {address} verwenden möchten.",
  "mail_clients.apple": "iPhone, iPad oder Mac",
  "mail_clients.apple_hint": "Die App „Mail“ von Apple, mit einem Profil",
  "mail_clients.android_hint": "Thunderbird für Android, mit einem QR-Code",
  "mail_clients.thunderbird_hint": "Unter Windows, macOS oder Linux",
  "mail_clients.outlook_hint": "Unter Windows, macOS oder auf dem Smartphone",
  "mail_clients.other": "Andere App",
  "mail_clients.other_hint": "Jede E-Mail-App mit IMAP",
  "mail_client.title": "{client} einrichten",
  "mail_client.add":
    "Fügen Sie in {client} ein E-Mail-Konto mit der Adresse {address} hinzu. Die Servereinstellungen werden automatisch gefunden.",
  "mail_client.other_add":
    "Fügen Sie ein E-Mail-Konto mit der Adresse {address} hinzu. Viele Apps finden die Servereinstellungen automatisch. Falls Ihre das nicht tut, geben Sie die Einstellungen unten ein.",
  "mail_client.oauth":
    "Wenn sich eine Anmeldeseite von {brand} öffnet, melden Sie sich dort an. Sie benötigen dann kein App-Passwort.",
  "mail_client.password":
    "Wenn Sie nach einem Passwort gefragt werden, geben Sie ein App-Passwort ein. Erstellen Sie es hier.",
  "mail_client.own_password": "Wenn Sie nach einem Passwort gefragt werden, geben Sie das Passwort Ihres Kontos ein.",
  "mail_client.outlook_imap": "Wenn Sie nach dem Kontotyp gefragt werden, wählen Sie IMAP.",
  "mail_client.outlook_cloud":
    "Das neue Outlook und Outlook auf Smartphones rufen Ihre E-Mails über die Server von Microsoft ab, die auch das Passwort speichern.",
  "mail_client.apple_create":
    "Erstellen Sie ein Profil. Es enthält die Servereinstellungen und ein neues App-Passwort für Ihr Gerät.",
  "mail_client.apple_open":
    "Öffnen Sie das Profil auf dem Gerät: Laden Sie es dort herunter oder scannen Sie den QR-Code mit der Kamera.",
  "mail_client.apple_install":
    "Öffnen Sie auf dem Gerät die Einstellungen und folgen Sie dem Hinweis auf das geladene Profil.",
  "mail_client.android_create": "Erstellen Sie ein App-Passwort. Es wird zusammen mit einem QR-Code angezeigt.",
  "mail_client.android_scan": "Importieren Sie in Thunderbird für Android ein Konto und scannen Sie den QR-Code.",
  "mail_client.android_other":
    "Wenn Sie eine andere App verwenden, fügen Sie dort ein Konto mit der Adresse {address} hinzu und geben Sie das App-Passwort ein.",
  "mail_client.android_type":
    "Wenn Sie ihn nicht scannen können, fügen Sie ein Konto mit Ihrer Adresse hinzu und geben Sie das App-Passwort ein:",
  "mail_client.settings": "Servereinstellungen",
  "mail_client.port": "Port {port}",
  "mail_client.make_profile": "Profil erstellen",
  "mail_client.profile_ready": "Ihr Profil ist bereit",
  "mail_client.profile_once":
    "Das Profil enthält ein App-Passwort. Es kann innerhalb von 10 Minuten einmal heruntergeladen werden.",
  "mail_client.download": "Profil herunterladen",
  "mail_client.profile_scan": "Scannen Sie für ein anderes Gerät diesen QR-Code mit dessen Kamera:",
  "mail_client.qr_secret": "Der QR-Code enthält das App-Passwort. Geben Sie ihn nicht weiter.",
  "mail_client.qr_label": "QR-Code für Ihr Gerät",
  "remove.app_password_title": "App-Passwort „{name}“ löschen?",
  "remove.app_password_text":
    "Die App oder das Gerät, das es verwendet, kann sich dann nicht mehr anmelden. Das lässt sich nicht rückgängig machen.",
};
