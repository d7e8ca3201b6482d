import type { MailClientTexts } from "./en.ts";

export const mailClients: MailClientTexts = {
  "mail_clients.title": "Configurar su programa de correo",
  "mail_clients.intro": "Elija dónde quiere usar {address}.",
  "mail_clients.apple": "iPhone, iPad o Mac",
  "mail_clients.apple_hint": "La app Mail de Apple, con un perfil",
  "mail_clients.android_hint": "Thunderbird para Android, con un código QR",
  "mail_clients.thunderbird_hint": "En Windows, macOS o Linux",
  "mail_clients.outlook_hint": "En Windows, macOS o un teléfono",
  "mail_clients.other": "Otro programa",
  "mail_clients.other_hint": "Cualquier programa de correo con IMAP",
  "mail_client.title": "Configurar {client}",
  "mail_client.add":
    "En {client}, añada una cuenta de correo con la dirección {address}. Los ajustes de los servidores se detectan automáticamente.",
  "mail_client.other_add":
    "Añada una cuenta de correo con la dirección {address}. Muchos programas detectan automáticamente los ajustes de los servidores. Si el suyo no lo hace, introduzca los que figuran abajo.",
  "mail_client.oauth":
    "Si se abre una página de inicio de sesión de {brand}, inicie sesión en ella. En ese caso no necesita una contraseña de aplicación.",
  "mail_client.password": "Cuando se le pida una contraseña, introduzca una contraseña de aplicación. Créela aquí.",
  "mail_client.own_password": "Cuando se le pida una contraseña, introduzca la de su cuenta.",
  "mail_client.outlook_imap": "Si se le pide el tipo de cuenta, elija IMAP.",
  "mail_client.outlook_cloud":
    "El nuevo Outlook y Outlook en teléfonos reciben su correo a través de los servidores de Microsoft, que también guardan la contraseña.",
  "mail_client.apple_create":
    "Cree un perfil. Contiene los ajustes de los servidores y una nueva contraseña de aplicación para su dispositivo.",
  "mail_client.apple_open": "Abra el perfil en el dispositivo: descárguelo en él o escanee el código QR con la cámara.",
  "mail_client.apple_install": "En el dispositivo, abra Ajustes y siga el aviso sobre el perfil descargado.",
  "mail_client.android_create": "Cree una contraseña de aplicación. Se muestra junto con un código QR.",
  "mail_client.android_scan": "En Thunderbird para Android, importe una cuenta y escanee el código QR.",
  "mail_client.android_other":
    "En cualquier otra aplicación, añada una cuenta con la dirección {address} e introduzca la contraseña de aplicación.",
  "mail_client.android_type":
    "Si no puede escanearlo, añada una cuenta con su dirección e introduzca la contraseña de aplicación:",
  "mail_client.settings": "Ajustes de los servidores",
  "mail_client.port": "Puerto {port}",
  "mail_client.make_profile": "Crear perfil",
  "mail_client.profile_ready": "Su perfil está listo",
  "mail_client.profile_once":
    "El perfil contiene una contraseña de aplicación. Se puede descargar una sola vez, en los próximos 10 minutos.",
  "mail_client.download": "Descargar perfil",
  "mail_client.profile_scan": "Para otro dispositivo, escanee este código QR con la cámara de ese dispositivo:",
  "mail_client.qr_secret": "El código QR contiene la contraseña de aplicación. No lo comparta.",
  "mail_client.qr_label": "Código QR para su dispositivo",
  "remove.app_password_title": "¿Eliminar la contraseña de aplicación «{name}»?",
  "remove.app_password_text":
    "La aplicación o el dispositivo que la usa ya no podrá iniciar sesión. Esta acción no se puede deshacer.",
};
