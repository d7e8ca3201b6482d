import type { AccountNotification } from "@postern/shared/contracts";
import type { NotificationJob } from "@postern/shared/domain/jobs";
import { languages } from "@postern/shared/domain/localisation";
import { expect, test } from "vitest";
import { createNotifier } from "./notifier.ts";

const [english] = languages;
if (english === undefined) throw new Error("no languages");
const origin = { clientIp: "", userAgent: "", language: english, attributes: { mail: ["ann@home.test"] } };
const about = { event: "factor_added", factor: "totp", session: "s", origin } as const;

const domainOf = async (account: string) => ({ name: account.split("@")[1], brand: "Mail of One" });

test("a webhook that is limited gets its domain only, with the domain; the bus and the user get all", async () => {
  const queued: NotificationJob[] = [];
  const published: AccountNotification[] = [];
  const { store } = createNotifier({
    settings: {
      events: new Set(["factor_added"]),
      isForWebhook: async (account) => account.endsWith("@a.test"),
      mail: { brand: "The Site", link: "https://id.test/", addressAttribute: "mail" },
    },
    queue: { add: async (jobs) => void queued.push(...jobs) },
    devices: { isNew: async () => true, knows: async () => false },
    domainOf,
    publish: (notification) => published.push(notification) > 0,
    count: () => undefined,
    logger: { error: () => undefined },
    nowMs: () => 0,
  });
  await store({ ...about, account: "ann@a.test" }, { id: "1", atMs: 0 });
  await store({ ...about, account: "bob@b.test" }, { id: "2", atMs: 0 });
  expect(queued.map(({ id, channel }) => [id, channel])).toEqual([
    ["1", "webhook"],
    ["1", "mail"],
    ["2", "mail"],
  ]);
  const [webhook, mail] = queued;
  expect(webhook?.channel === "webhook" && JSON.parse(webhook.body)).toMatchObject({ id: "1", domain: "a.test" });
  expect(mail?.channel === "mail" && mail.subject).toContain("Mail of One");
  expect(published.map(({ domain }) => domain)).toEqual(["a.test", "b.test"]);
});
