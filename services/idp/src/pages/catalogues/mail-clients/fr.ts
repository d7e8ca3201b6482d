import type { MailClientTexts } from "./en.ts";

export const mailClients: MailClientTexts = {
  "mail_clients.title": "Configurer votre messagerie",
  "mail_clients.intro": "Choisissez où vous souhaitez utiliser {address}.",
  "mail_clients.apple": "iPhone, iPad ou Mac",
  "mail_clients.apple_hint": "L’app Mail d’Apple, avec un profil",
  "mail_clients.android_hint": "Thunderbird pour Android, avec un code QR",
  "mail_clients.thunderbird_hint": "Sous Windows, macOS ou Linux",
  "mail_clients.outlook_hint": "Sous Windows, macOS ou sur téléphone",
  "mail_clients.other": "Autre logiciel",
  "mail_clients.other_hint": "Tout logiciel de messagerie avec IMAP",
  "mail_client.title": "Configurer {client}",
  "mail_client.add":
    "Dans {client}, ajoutez un compte de messagerie avec l’adresse {address}. Les paramètres des serveurs sont détectés automatiquement.",
  "mail_client.other_add":
    "Ajoutez un compte de messagerie avec l’adresse {address}. De nombreux logiciels détectent automatiquement les paramètres des serveurs. Si ce n’est pas le cas du vôtre, saisissez ceux qui figurent ci-dessous.",
  "mail_client.oauth":
    "Si une page de connexion de {brand} s’ouvre, connectez-vous-y. Un mot de passe d’application n’est alors pas nécessaire.",
  "mail_client.password":
    "Lorsqu’un mot de passe vous est demandé, saisissez un mot de passe d’application. Créez-le ici.",
  "mail_client.own_password": "Lorsqu’un mot de passe vous est demandé, saisissez celui de votre compte.",
  "mail_client.outlook_imap": "Si le type de compte vous est demandé, choisissez IMAP.",
  "mail_client.outlook_cloud":
    "Le nouvel Outlook et Outlook sur téléphone récupèrent vos e-mails par les serveurs de Microsoft, qui conservent aussi le mot de passe.",
  "mail_client.apple_create":
    "Créez un profil. Il contient les paramètres des serveurs et un nouveau mot de passe d’application pour votre appareil.",
  "mail_client.apple_open":
    "Ouvrez le profil sur l’appareil\u00A0: téléchargez-le depuis celui-ci ou scannez le code QR avec l’appareil photo.",
  "mail_client.apple_install":
    "Sur l’appareil, ouvrez Réglages et suivez l’indication concernant le profil téléchargé.",
  "mail_client.android_create": "Créez un mot de passe d’application. Il s’affiche avec un code QR.",
  "mail_client.android_scan": "Dans Thunderbird pour Android, importez un compte et scannez le code QR.",
  "mail_client.android_other":
    "Dans toute autre application, ajoutez un compte avec l’adresse {address} et saisissez le mot de passe d’application.",
  "mail_client.android_type":
    "Si vous ne pouvez pas le scanner, ajoutez un compte avec votre adresse et saisissez le mot de passe d’application\u00A0:",
  "mail_client.settings": "Paramètres des serveurs",
  "mail_client.port": "Port {port}",
  "mail_client.make_profile": "Créer un profil",
  "mail_client.profile_ready": "Votre profil est prêt",
  "mail_client.profile_once":
    "Le profil contient un mot de passe d’application. Il peut être téléchargé une seule fois, dans les 10 minutes.",
  "mail_client.download": "Télécharger le profil",
  "mail_client.profile_scan": "Pour un autre appareil, scannez ce code QR avec son appareil photo\u00A0:",
  "mail_client.qr_secret": "Le code QR contient le mot de passe d’application. Ne le partagez pas.",
  "mail_client.qr_label": "Code QR pour votre appareil",
  "remove.app_password_title": "Supprimer le mot de passe d’application «\u00A0{name}\u00A0»\u202F?",
  "remove.app_password_text":
    "Le logiciel ou l’appareil qui l’utilise ne pourra plus se connecter. Cette action est irréversible.",
};
