import { digestOf } from "@postern/shared/platform/crypto";
import { isBrowserToken } from "../flow/browser-binding.ts";
import type { Pages } from "../pages/pages.ts";
import { cookieNames } from "../sessions/cookies.ts";
import type { Visit } from "./visit.ts";

/** Recognises the browser, without the value of its cookie. Empty if it has no device cookie. */
export function deviceDigest({ cookies }: Pick<Pages, "cookies">, { request }: Pick<Visit, "request">): string {
  const token = cookies.read(request.headers.cookie, cookieNames.device);
  return isBrowserToken(token) ? digestOf(token).toString("base64url") : "";
}
