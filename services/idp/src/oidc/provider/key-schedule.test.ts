import { loadConfig } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import { createSigningKey } from "../keys/signing-keys.ts";
import { type OidcSettings, oidcSettings } from "../settings/oidc-settings.ts";
import { KeySchedule } from "./key-schedule.ts";

function loaded(): OidcSettings {
  const result = loadConfig({ text: "{}", env: {}, readFile: () => "" });
  if (!result.ok) throw new Error("the configuration is invalid");
  return oidcSettings(result.config);
}

const [first, second] = [loaded(), loaded()];
const signingKeys = await Promise.all([createSigningKey("rsa", 0), createSigningKey("rsa", 1)]);

/** A schedule with a key in use, and the policies of its generations. `beforeNext` precedes each generation after the first. */
async function started(beforeNext: (settings: OidcSettings) => Promise<void> = async () => undefined) {
  const inUse: OidcSettings["mfaPolicy"][] = [];
  const stored = signingKeys.slice(0, 1);
  const schedule = new KeySchedule({
    keys: { current: async () => [...stored] },
    generations: {
      get isReady() {
        return inUse.length > 0;
      },
      prepare: async (settings) => {
        if (inUse.length > 0) await beforeNext(settings);
        return () => void inUse.push(settings.mfaPolicy);
      },
    },
    clock: { now: () => 0 },
    settings: first,
    onError: (error) => expect.fail(String(error)),
  });
  await schedule.start();
  schedule.close();
  return { schedule, inUse, stored };
}

test("a prepared configuration changes nothing until it is used", async () => {
  const { schedule, inUse } = await started();
  const prepared = await schedule.prepare(second);
  expect(schedule.settings).toBe(first);
  expect(inUse).toHaveLength(1);
  await prepared.use();
  expect(inUse.at(-1)).toBe(second.mfaPolicy);
  expect(schedule.settings.mfaPolicy).toBe(second.mfaPolicy);
});

test("a configuration whose clients cannot be registered is refused while it is prepared", async () => {
  const { schedule, inUse } = await started(() => Promise.reject(new AppError("CONFIG_INVALID")));
  await expect(schedule.prepare(second)).rejects.toThrow("CONFIG_INVALID");
  expect(inUse).toHaveLength(1);
  expect(schedule.settings).toBe(first);
});

test("keys that are read while a reload comes into use do not bring the earlier configuration back", async () => {
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { schedule, inUse, stored } = await started(async (settings) => {
    if (settings !== first) return;
    reached.resolve();
    await gate.promise;
  });
  const prepared = await schedule.prepare(second);
  stored.push(...signingKeys.slice(1));
  const refreshed = schedule.refresh();
  await reached.promise;
  await prepared.use();
  gate.resolve();
  await refreshed;
  expect(inUse.map((policy) => policy === second.mfaPolicy)).toEqual([false, true, true]);
});
