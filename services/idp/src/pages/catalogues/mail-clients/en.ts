/** Texts of the pages on which users set up a mail client and remove its app password. */
export const mailClients = {
  "mail_clients.title": "Set up your email app",
  "mail_clients.intro": "Choose where you want to use {address}.",
  "mail_clients.apple": "iPhone, iPad or Mac",
  "mail_clients.apple_hint": "Apple’s Mail app, with a profile",
  "mail_clients.android_hint": "Thunderbird for Android, with a QR code",
  "mail_clients.thunderbird_hint": "On Windows, Mac or Linux",
  "mail_clients.outlook_hint": "On Windows, Mac or a phone",
  "mail_clients.other": "Another app",
  "mail_clients.other_hint": "Any email app with IMAP",
  "mail_client.title": "Set up {client}",
  "mail_client.add":
    "In {client}, add an email account with the address {address}. It finds the server settings automatically.",
  "mail_client.other_add":
    "Add an email account with the address {address}. Many apps find the server settings automatically. If yours doesn’t, enter the settings below.",
  "mail_client.oauth":
    "If a sign-in page of {brand} opens, sign in there. In that case, you don’t need an app password.",
  "mail_client.password": "When you’re asked for a password, enter an app password. Create it here.",
  "mail_client.own_password": "When you’re asked for a password, enter the password of your account.",
  "mail_client.outlook_imap": "If you’re asked for the account type, choose IMAP.",
  "mail_client.outlook_cloud":
    "The new Outlook and Outlook on phones fetch your mail through Microsoft’s servers, which also store the password.",
  "mail_client.apple_create":
    "Create a profile. It contains the server settings and a new app password for your device.",
  "mail_client.apple_open": "Open the profile on the device: download it there, or scan its QR code with the camera.",
  "mail_client.apple_install": "On the device, open Settings and follow the notice about the downloaded profile.",
  "mail_client.android_create": "Create an app password. It’s shown with a QR code.",
  "mail_client.android_scan": "In Thunderbird for Android, import an account and scan the QR code.",
  "mail_client.android_other":
    "In any other app, add an account with the address {address} and enter the app password.",
  "mail_client.android_type": "If you can’t scan it, add an account with your address and enter the app password:",
  "mail_client.settings": "Server settings",
  "mail_client.port": "Port {port}",
  "mail_client.make_profile": "Create profile",
  "mail_client.profile_ready": "Your profile is ready",
  "mail_client.profile_once": "The profile contains an app password. It can be downloaded once, within 10 minutes.",
  "mail_client.download": "Download profile",
  "mail_client.profile_scan": "For another device, scan this QR code with its camera:",
  "mail_client.qr_secret": "The QR code contains the app password. Don’t share it.",
  "mail_client.qr_label": "QR code for your device",
  "remove.app_password_title": "Delete the app password “{name}”?",
  "remove.app_password_text": "The app or device that uses it can no longer sign in. You can’t undo this.",
} as const;

/** The same texts in another language. */
export type MailClientTexts = Readonly<Record<keyof typeof mailClients, string>>;
