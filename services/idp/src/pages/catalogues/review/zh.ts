import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "异常登录：{count}",
  "review.title": "是您本人登录的吗？",
  "review.intro": "这些登录使用了您的密码，但看起来异常。",
  "review.none_title": "异常登录",
  "review.none": "没有异常登录。",
  "review.unknown_place": "未知地点",
  "review.time": "时间：",
  "review.program": "应用：",
  "review.refused": "此登录已被阻止。",
  "review.mine": "是我本人",
  "review.how_to_confirm": "要确认某次登录，请使用在所有这些登录之前就已登录的设备，或使用在此之前设置的两步验证。",
  "review.doubted_title": "需要更早的身份证明",
  "review.doubted_text":
    "您的账号出现了异常登录。若要继续，请使用在此之前就已登录的设备，或使用在此之前设置的两步验证。如果两者都没有，请联系服务台。",
  "review.not_mine_text":
    "如果其中任何一次不是您本人，请保护您的账号：您将在所有其他设备和应用中退出登录，应用专用密码将被删除，已连接的应用将被断开。然后请更改密码。",
  "review.not_mine": "不是我，保护我的账号",
  "review.change_password": "更改密码",
  "review.check_text":
    "如果有其他人知道您的密码，还请检查两步验证：移除不属于您的身份验证器应用和通行密钥，并生成新的恢复代码。",
  "review.check": "检查两步验证",
  "done.sign_in_confirmed": "谢谢。此登录已确认。",
  "done.account_secured": "您已在所有其他设备和应用中退出登录，应用专用密码已被删除。请立即更改密码。",
};
