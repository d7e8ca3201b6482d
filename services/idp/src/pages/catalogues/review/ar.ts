import type { review as english } from "./en.ts";

export const review: Readonly<Record<keyof typeof english, string>> = {
  "home.review_hint": "عمليات تسجيل دخول غير معتادة: {count}",
  "review.title": "هل كان هذا أنت؟",
  "review.intro": "استُخدمت كلمة مرورك في عمليات تسجيل الدخول هذه، وتبدو غير معتادة.",
  "review.none": "لا توجد عمليات تسجيل دخول غير معتادة.",
  "review.unknown_place": "مكان غير معروف",
  "review.time": "الوقت:",
  "review.program": "التطبيق:",
  "review.refused": "حُظر تسجيل الدخول هذا.",
  "review.mine": "نعم، هذا أنا",
  "review.how_to_confirm":
    "لتأكيد عملية تسجيل دخول، استخدم جهازًا كنت مسجّل الدخول عليه في ذلك الوقت، أو التحقق بخطوتين.",
  "review.not_mine_text":
    "إذا لم تكن أنت من قام بأي منها، فاحمِ حسابك: سيتم تسجيل خروجك من جميع الأجهزة الأخرى وجميع التطبيقات، وحذف كلمات مرور التطبيقات، وفصل التطبيقات المتصلة. ثم غيّر كلمة مرورك.",
  "review.not_mine": "لا، احمِ حسابي",
  "review.change_password": "تغيير كلمة المرور",
  "done.sign_in_confirmed": "شكرًا. تم تأكيد تسجيل الدخول.",
  "done.account_secured":
    "لم يعد لجميع الأجهزة والتطبيقات وكلمات مرور التطبيقات الأخرى حق الوصول. غيّر كلمة مرورك الآن.",
};
