import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { digestOf } from "@postern/shared/platform/crypto";

const tokenLength = 43;
const urlSafe = /^[\w-]+$/;

/** A new value of the cookie that binds flows to a browser. */
export function newBrowserToken(): string {
  return randomBytes(32).toString("base64url");
}

export function isBrowserToken(value: string | undefined): value is string {
  return value !== undefined && value.length === tokenLength && urlSafe.test(value);
}

/** The form in which a flow stores the cookie: the cookie cannot be recovered from it. */
export function browserDigest(browserToken: string): string {
  return digestOf(browserToken).toString("base64url");
}

/** 1 to 128 characters of base64url; anything else in a URL is not a flow id. */
export function isFlowId(value: unknown): value is string {
  return typeof value === "string" && value.length <= 128 && urlSafe.test(value);
}

function proof(subject: string, browserToken: string): string {
  return createHmac("sha256", browserToken).update(`csrf:${subject}`).digest("base64url");
}

/**
 * `<flow>.<HMAC>` (ASVS 3.5.1). The key is the browser's own cookie, which is HttpOnly and random: only this browser
 * and the identity provider can create a token, and a token is valid for one flow only. `subject` is a flow id, or a
 * session's uid on the forms of self-service pages.
 */
export function csrfToken(subject: string, browserToken: string): string {
  return `${subject}.${proof(subject, browserToken)}`;
}

/** The subject of a token; undefined if the token was not created for this browser. */
export function readCsrfToken(token: unknown, browserToken: string | undefined): string | undefined {
  if (typeof token !== "string" || !isBrowserToken(browserToken)) return undefined;
  const dot = token.indexOf(".");
  const subject = token.slice(0, Math.max(0, dot));
  if (!isFlowId(subject)) return undefined;
  const received = Buffer.from(token.slice(dot + 1));
  const right = Buffer.from(proof(subject, browserToken));
  return received.length === right.length && timingSafeEqual(received, right) ? subject : undefined;
}
