import { createHmac } from "node:crypto";
import type { Secret } from "@postern/shared/platform/crypto";

const prefix = "whsec_";

/** A secret that begins with `whsec_` is base64; any other is used as written (Standard Webhooks). */
function keyOf(secret: Secret): Buffer {
  const text = secret.reveal();
  return text.startsWith(prefix) ? Buffer.from(text.slice(prefix.length), "base64") : Buffer.from(text, "utf8");
}

/**
 * Headers that authenticate the webhook and let the receiver detect repeats: HMAC-SHA256 over id, time of this attempt and body (Standard
 * Webhooks 1.0).
 */
export function webhookHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  secret: Secret,
  nowSeconds: number,
): Readonly<Record<string, string>> {
  const signature = createHmac("sha256", keyOf(secret)).update(`${id}.${nowSeconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(nowSeconds), "webhook-signature": `v1,${signature}` };
}
