import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "通常と異なるログイン：{count}",
  "review.title": "ご本人によるログインですか？",
  "review.intro": "これらのログインではあなたのパスワードが使用されましたが、通常と異なります。",
  "review.none": "通常と異なるログインはありません。",
  "review.unknown_place": "不明な場所",
  "review.time": "日時：",
  "review.program": "アプリ：",
  "review.refused": "このログインはブロックされました。",
  "review.mine": "はい、本人です",
  "review.how_to_confirm":
    "ログインを確認するには、その時点ですでにログインしていたデバイス、または2段階認証を使用してください。",
  "review.not_mine_text":
    "本人でないログインがある場合は、アカウントを保護してください。ほかのすべてのデバイスとアプリからログアウトし、アプリパスワードを削除し、アプリの接続を解除します。その後、パスワードを変更してください。",
  "review.not_mine": "いいえ、アカウントを保護する",
  "review.change_password": "パスワードを変更",
  "review.check_text":
    "ほかの人がパスワードを知っていた場合は、2段階認証も確認してください。自分のものではない認証アプリやパスキーを削除し、新しいリカバリーコードを作成してください。",
  "review.check": "2段階認証を確認",
  "done.sign_in_confirmed": "ありがとうございます。ログインを確認しました。",
  "done.account_secured":
    "ほかのデバイス、アプリ、アプリパスワードはすべてアクセスできなくなりました。今すぐパスワードを変更してください。",
};
