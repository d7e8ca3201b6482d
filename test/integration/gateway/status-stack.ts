import { freePort } from "@postern/testing";
import { expect } from "vitest";
import { type Stack, type StackOptions, startStack } from "../../support/stack.ts";

/** A stack that shows its status to customers, and needs an identity provider for sign-in. */
export async function startStatusStack(
  options: Pick<StackOptions, "services">,
): Promise<{ readonly stack: Stack; readonly front: string }> {
  const address = `127.0.0.1:${await freePort()}`;
  const stack = await startStack({
    ...options,
    shape: "five",
    redis: true,
    settings: {
      runtime: { servers: { http: { frontend_address: [address], public_status: true } } },
      storage: { redis: { write_timeout: "300ms" } },
      identity: {
        frontend: { enabled: true, branding: { name: "Example Mail" } },
        oidc: { enabled: true, issuer: "http://localhost:8080" },
      },
    },
  });
  return { stack, front: `http://${address}` };
}

export async function publicStatus(front: string): Promise<{ readonly status: string; readonly since?: string }> {
  return JSON.parse(await (await fetch(`${front}/status.json`)).text());
}

/** The page and its JSON say that sign-in is degraded, since a time after this one, and nothing says why. */
export async function expectDegraded(front: string, lostMs: number): Promise<void> {
  const { since = "" } = await publicStatus(front);
  expect(since).toMatch(/:00\.000Z$/u);
  expect(Date.parse(since)).toBeGreaterThan(lostMs - 60_000);
  expect(Date.parse(since)).toBeLessThan(Date.now());
  const pages = [await fetch(`${front}/status`), await fetch(`${front}/status.json`)];
  const texts = pages.map(async (each) => `${JSON.stringify([...each.headers])}${await each.text()}`);
  const all = (await Promise.all(texts)).join("\n");
  expect(all).toContain("<h1>Some sign-ins are failing</h1>");
  expect(all).toContain(`<time datetime="${since}">`);
  expect(all).not.toMatch(/\b(?:engines?|redis|idp|nats|gateway|backend|sql|127\.0\.0\.1)\b/iu);
}
