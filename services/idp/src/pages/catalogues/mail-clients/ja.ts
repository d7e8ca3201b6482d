import type { MailClientTexts } from "./en.ts";

export const mailClients: MailClientTexts = {
  "mail_clients.title": "メールソフトの設定",
  "mail_clients.intro": "{address} を使うデバイスまたはアプリを選択してください。",
  "mail_clients.apple": "iPhone、iPad、Mac",
  "mail_clients.apple_hint": "Apple の「メール」（プロファイルを使用）",
  "mail_clients.android_hint": "Android 版 Thunderbird（QR コードを使用）",
  "mail_clients.thunderbird_hint": "Windows、macOS、Linux",
  "mail_clients.outlook_hint": "Windows、macOS、スマートフォン",
  "mail_clients.other": "その他のソフト",
  "mail_clients.other_hint": "IMAP に対応したメールソフト",
  "mail_client.title": "{client} の設定",
  "mail_client.add":
    "{client} で、アドレス {address} のメールアカウントを追加します。サーバーの設定は自動的に検出されます。",
  "mail_client.other_add":
    "アドレス {address} のメールアカウントを追加します。多くのソフトはサーバーの設定を自動的に検出します。検出されない場合は、下の設定を入力してください。",
  "mail_client.oauth":
    "{brand} のログインページが開いたら、そこでログインしてください。その場合、アプリパスワードは必要ありません。",
  "mail_client.password": "パスワードを求められたら、アプリパスワードを入力します。ここで作成できます。",
  "mail_client.own_password": "パスワードを求められたら、アカウントのパスワードを入力します。",
  "mail_client.outlook_imap": "アカウントの種類を求められたら、IMAP を選択します。",
  "mail_client.outlook_cloud":
    "新しい Outlook とスマートフォンの Outlook は、Microsoft のサーバーを経由してメールを受信し、パスワードもそこに保存されます。",
  "mail_client.apple_create":
    "プロファイルを作成します。サーバーの設定と、デバイス用の新しいアプリパスワードが含まれます。",
  "mail_client.apple_open":
    "デバイスでプロファイルを開きます。デバイスでダウンロードするか、カメラで QR コードを読み取ってください。",
  "mail_client.apple_install": "デバイスで「設定」を開き、ダウンロードしたプロファイルの案内に従ってください。",
  "mail_client.android_create": "アプリパスワードを作成します。QR コードと一緒に表示されます。",
  "mail_client.android_scan": "Android 版 Thunderbird でアカウントをインポートし、QR コードを読み取ります。",
  "mail_client.android_other":
    "ほかのアプリでは、アドレス {address} のアカウントを追加し、アプリパスワードを入力します。",
  "mail_client.android_type":
    "読み取れない場合は、自分のアドレスのアカウントを追加し、アプリパスワードを入力してください：",
  "mail_client.settings": "サーバーの設定",
  "mail_client.port": "ポート {port}",
  "mail_client.make_profile": "プロファイルを作成",
  "mail_client.profile_ready": "プロファイルの準備ができました",
  "mail_client.profile_once": "プロファイルにはアプリパスワードが含まれます。10分以内に1回だけダウンロードできます。",
  "mail_client.download": "プロファイルをダウンロード",
  "mail_client.profile_scan": "別のデバイスでは、そのカメラでこの QR コードを読み取ってください：",
  "mail_client.qr_secret": "QR コードにはアプリパスワードが含まれます。ほかの人に見せないでください。",
  "mail_client.qr_label": "デバイス用の QR コード",
  "remove.app_password_title": "アプリパスワード「{name}」を削除しますか？",
  "remove.app_password_text":
    "このパスワードを使用しているアプリやデバイスはログインできなくなります。この操作は元に戻せません。",
};
