import { expect, test } from "vitest";
import { createPolicyRenderer } from "./render.ts";

const renderer = createPolicyRenderer({ session: "X-Service-Session" });

test.each([
  [{ verdict: "accept" }, { status: 0, msg: "", r_attrs: {} }],
  [
    { verdict: "tarpit", delaySeconds: 3, reason: "account_delay" },
    { status: 3, msg: "", r_attrs: { reason: "account_delay" } },
  ],
  [
    { verdict: "reject", reason: "ban", rule: "ipv4", retryAfterSeconds: 60 },
    { status: -1, msg: "", r_attrs: { reason: "ban", rule: "ipv4", retry_after: "60" } },
  ],
  [
    { verdict: "reject", reason: "policy", message: "Nur aus dem Büro" },
    { status: -1, msg: "Nur aus dem Büro", r_attrs: { reason: "policy" } },
  ],
] as const)("%j is answered as weakforced would", (verdict, body) => {
  const reply = renderer.verdict(verdict, "s");
  expect(reply.status).toBe(200);
  expect(JSON.parse(Buffer.from(reply.body, "latin1").toString("utf8"))).toEqual(body);
});
