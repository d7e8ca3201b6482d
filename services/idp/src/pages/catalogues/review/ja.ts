import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "通常と異なるログイン：{count}",
  "review.title": "ご本人によるログインですか？",
  "review.intro": "これらのログインではパスワードが使用されており、通常と異なる点があります。",
  "review.none_title": "通常と異なるログイン",
  "review.none": "通常と異なるログインはありません。",
  "review.unknown_place": "不明な場所",
  "review.time": "日時：",
  "review.program": "アプリ：",
  "review.refused": "このログインはブロックされました。",
  "review.mine": "はい、本人です",
  "review.how_to_confirm":
    "ご本人のログインであることを確認するには、これらすべてのログインより前からログインしていたデバイス、またはそれより前に設定した2段階認証を使用してください。",
  "review.doubted_title": "以前からの確認手段が必要です",
  "review.doubted_text":
    "アカウントに通常と異なるログインがありました。続けるには、それより前からログインしていたデバイス、またはそれより前に設定した2段階認証を使用してください。どちらもない場合は、ヘルプデスクにお問い合わせください。",
  "review.not_mine_text":
    "本人によるものではないログインがある場合は、アカウントを保護してください。保護すると、ほかのすべてのデバイスとすべてのアプリからログアウトし、アプリパスワードが削除され、アプリの接続が解除されます。その後、パスワードを変更してください。",
  "review.not_mine": "いいえ、アカウントを保護する",
  "review.change_password": "パスワードを変更",
  "review.check_text":
    "ほかの人がパスワードを知っていた場合は、2段階認証も確認してください。自分のものではない認証アプリやパスキーを削除し、新しいリカバリーコードを作成してください。",
  "review.check": "2段階認証を確認",
  "done.sign_in_confirmed": "ありがとうございます。ログインを確認しました。",
  "done.account_secured":
    "ほかのすべてのデバイスとすべてのアプリからログアウトし、アプリパスワードを削除しました。今すぐパスワードを変更してください。",
};
