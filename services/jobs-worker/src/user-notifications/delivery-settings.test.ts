import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { deliverySettings } from "./deliver-notification.ts";

const webhook = { url: "https://hooks.example.test/a", secret: "a-secret-of-webhooks-0123456789", timeout: "3s" };
const mail = { server: "[::1]:2525", from: "a@example.test", tls: "none", timeout: "4s" };

function settingsOf(notifications: object) {
  const tree = {
    identity: { notices: notifications },
    storage: { redis: { encryption_secret: "an-encryption-secret-0123456789-abcdef" } },
  };
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded));
  return deliverySettings(loaded.config);
}

test("both channels are configured with their timeouts; an IPv6 address loses its brackets, and without a user name there is no login", () => {
  const settings = settingsOf({ enabled: true, webhook, mail });
  expect(settings.webhook).toMatchObject({ url: webhook.url, timeoutMs: 3000 });
  expect(settings.webhook?.secret.reveal()).toBe(webhook.secret);
  expect(settings.mail).toEqual({
    server: { host: "::1", port: 2525, tls: "none", auth: undefined },
    from: "a@example.test",
    timeoutMs: 4000,
  });
});

test("a channel that is not configured is undefined, and so are both while user notifications are disabled", () => {
  expect(settingsOf({ enabled: true, webhook }).mail).toBeUndefined();
  expect(settingsOf({ enabled: true, mail }).webhook).toBeUndefined();
  expect(settingsOf({ enabled: false, webhook, mail })).toEqual({ webhook: undefined, mail: undefined });
});
