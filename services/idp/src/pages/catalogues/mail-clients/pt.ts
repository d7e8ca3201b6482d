import type { MailClientTexts } from "./en.ts";

export const mailClients: MailClientTexts = {
  "mail_clients.title": "Configurar o seu programa de correio",
  "mail_clients.intro": "Escolha onde quer usar {address}.",
  "mail_clients.apple": "iPhone, iPad ou Mac",
  "mail_clients.apple_hint": "A aplicação Mail da Apple, com um perfil",
  "mail_clients.android_hint": "Thunderbird para Android, com um código QR",
  "mail_clients.thunderbird_hint": "No Windows, macOS ou Linux",
  "mail_clients.outlook_hint": "No Windows, macOS ou telemóvel",
  "mail_clients.other": "Outro programa",
  "mail_clients.other_hint": "Qualquer programa de correio com IMAP",
  "mail_client.title": "Configurar {client}",
  "mail_client.add":
    "No {client}, adicione uma conta de correio com o endereço {address}. As definições dos servidores são detetadas automaticamente.",
  "mail_client.other_add":
    "Adicione uma conta de correio com o endereço {address}. Muitos programas detetam as definições dos servidores. Caso contrário, introduza as que estão abaixo.",
  "mail_client.oauth":
    "Se se abrir uma página de início de sessão de {brand}, inicie sessão aí. Nesse caso, não precisa de uma palavra-passe de aplicação.",
  "mail_client.password":
    "Quando lhe for pedida uma palavra-passe, introduza uma palavra-passe de aplicação. Crie-a aqui.",
  "mail_client.own_password": "Quando lhe for pedida uma palavra-passe, introduza a da sua conta.",
  "mail_client.outlook_imap": "Se lhe for pedido o tipo de conta, escolha IMAP.",
  "mail_client.outlook_cloud":
    "O novo Outlook e o Outlook em telemóveis recebem o seu correio através dos servidores da Microsoft, que também guardam a palavra-passe.",
  "mail_client.apple_create":
    "Crie um perfil. Contém as definições dos servidores e uma nova palavra-passe de aplicação para o seu dispositivo.",
  "mail_client.apple_open": "Abra o perfil no dispositivo: transfira-o aí ou leia o código QR com a câmara.",
  "mail_client.apple_install": "No dispositivo, abra as Definições e siga o aviso sobre o perfil transferido.",
  "mail_client.android_create": "Crie uma palavra-passe de aplicação. É apresentada com um código QR.",
  "mail_client.android_scan": "No Thunderbird para Android, importe uma conta e leia o código QR.",
  "mail_client.android_other":
    "Em qualquer outra aplicação, adicione uma conta com o endereço {address} e introduza a palavra-passe de aplicação.",
  "mail_client.android_type":
    "Se não o conseguir ler, adicione uma conta com o seu endereço e introduza a palavra-passe de aplicação:",
  "mail_client.settings": "Definições dos servidores",
  "mail_client.port": "Porta {port}",
  "mail_client.make_profile": "Criar perfil",
  "mail_client.profile_ready": "O seu perfil está pronto",
  "mail_client.profile_once":
    "O perfil contém uma palavra-passe de aplicação. Só pode ser transferido uma vez, nos próximos 10 minutos.",
  "mail_client.download": "Transferir perfil",
  "mail_client.profile_scan": "Para outro dispositivo, leia este código QR com a câmara dele:",
  "mail_client.qr_secret": "O código QR contém a palavra-passe de aplicação. Não o partilhe.",
  "mail_client.qr_label": "Código QR para o seu dispositivo",
  "remove.app_password_title": "Eliminar a palavra-passe de aplicação “{name}”?",
  "remove.app_password_text":
    "A aplicação ou o dispositivo que a utiliza deixará de poder iniciar sessão. Esta ação não pode ser anulada.",
};
