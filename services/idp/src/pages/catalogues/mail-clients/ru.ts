import type { MailClientTexts } from "./en.ts";

export const mailClients: MailClientTexts = {
  "mail_clients.title": "Настройка почтовой программы",
  "mail_clients.intro": "Выберите, где вы хотите использовать адрес {address}.",
  "mail_clients.apple": "iPhone, iPad или Mac",
  "mail_clients.apple_hint": "Приложение «Почта» от Apple, с профилем",
  "mail_clients.android_hint": "Thunderbird для Android, с QR-кодом",
  "mail_clients.thunderbird_hint": "В Windows, macOS или Linux",
  "mail_clients.outlook_hint": "В Windows, macOS или на телефоне",
  "mail_clients.other": "Другая программа",
  "mail_clients.other_hint": "Любая почтовая программа с IMAP",
  "mail_client.title": "Настройка: {client}",
  "mail_client.add":
    "Добавьте в {client} учётную запись почты с адресом {address}. Параметры серверов определятся автоматически.",
  "mail_client.other_add":
    "Добавьте учётную запись почты с адресом {address}. Многие программы определяют параметры серверов сами. Если ваша программа этого не делает, введите параметры ниже.",
  "mail_client.oauth": "Если откроется страница входа {brand}, войдите на ней. Пароль приложения тогда не нужен.",
  "mail_client.password": "Когда потребуется пароль, введите пароль приложения. Создайте его здесь.",
  "mail_client.own_password": "Когда потребуется пароль, введите пароль своей учётной записи.",
  "mail_client.outlook_imap": "Если потребуется тип учётной записи, выберите IMAP.",
  "mail_client.outlook_cloud":
    "Новый Outlook и Outlook на телефонах получают почту через серверы Microsoft, которые также хранят пароль.",
  "mail_client.apple_create":
    "Создайте профиль. Он содержит параметры серверов и новый пароль приложения для вашего устройства.",
  "mail_client.apple_open": "Откройте профиль на устройстве: скачайте его там или отсканируйте QR-код камерой.",
  "mail_client.apple_install": "На устройстве откройте «Настройки» и следуйте указаниям для загруженного профиля.",
  "mail_client.android_create": "Создайте пароль приложения. Он будет показан вместе с QR-кодом.",
  "mail_client.android_scan": "В Thunderbird для Android импортируйте учётную запись и отсканируйте QR-код.",
  "mail_client.android_other":
    "В любом другом приложении добавьте учётную запись с адресом {address} и введите пароль приложения.",
  "mail_client.android_type":
    "Если отсканировать не удаётся, добавьте учётную запись со своим адресом и введите пароль приложения:",
  "mail_client.settings": "Параметры серверов",
  "mail_client.port": "Порт {port}",
  "mail_client.make_profile": "Создать профиль",
  "mail_client.profile_ready": "Ваш профиль готов",
  "mail_client.profile_once": "Профиль содержит пароль приложения. Его можно скачать один раз в течение 10 минут.",
  "mail_client.download": "Скачать профиль",
  "mail_client.profile_scan": "Для другого устройства отсканируйте этот QR-код его камерой:",
  "mail_client.qr_secret": "QR-код содержит пароль приложения. Никому его не передавайте.",
  "mail_client.qr_label": "QR-код для вашего устройства",
  "remove.app_password_title": "Удалить пароль приложения «{name}»?",
  "remove.app_password_text":
    "Приложение или устройство, которое его использует, больше не сможет войти. Отменить это действие нельзя.",
};
