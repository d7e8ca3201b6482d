import { generateKeyPairSync } from "node:crypto";
import { poll } from "@postern/testing";
import { expect, test } from "vitest";
import { createKeySource, type LoadKeySet } from "./key-source.ts";

function jwk(kid: string) {
  const { publicKey } = generateKeyPairSync("ed25519");
  return { ...publicKey.export({ format: "jwk" }), kid, use: "sig" };
}

function source(options: { readonly load: LoadKeySet; readonly timeoutMs?: number }) {
  const clock = { nowMs: 1_000_000, now: () => clock.nowMs };
  const errors: unknown[] = [];
  const keys = createKeySource({
    timeoutMs: 1000,
    ...options,
    clock,
    refreshMs: 1_000_000,
    retryAfterMs: 5000,
    onError: (error) => errors.push(error),
  });
  return { keys, clock, errors, [Symbol.dispose]: () => keys.close() };
}

test("an unknown key causes a query, at most once in five seconds", async () => {
  let loads = 0;
  const listed = [jwk("one")];
  const load = async () => {
    loads += 1;
    return { keys: listed };
  };
  using fixture = source({ load });
  const { keys, clock } = fixture;
  expect((await keys.find("one")).outcome).toBe("found");
  listed.push(jwk("two"));
  for (let count = 0; count < 50; count += 1) expect((await keys.find("two")).outcome).toBe("unknown");
  expect(loads).toBe(1);
  clock.nowMs += 5000;
  const found = await Promise.all(Array.from({ length: 50 }, () => keys.find("two")));
  expect(new Set(found.map(({ outcome }) => outcome))).toEqual(new Set(["found"]));
  expect(loads).toBe(2);
});

test("keys remain while the source is unavailable; an unknown key is then a temporary failure, not invalid", async () => {
  let isAway = false;
  const load = async () => {
    if (isAway) throw new Error("away");
    return { keys: [jwk("one")] };
  };
  using fixture = source({ load });
  const { keys, clock, errors } = fixture;
  expect((await keys.find("one")).outcome).toBe("found");
  isAway = true;
  for (let count = 0; count < 3; count += 1) {
    clock.nowMs += 5000;
    expect((await keys.find("other")).outcome).toBe("unavailable");
  }
  expect(keys.held("one")).toBeDefined();
  expect(errors).toHaveLength(1);
  isAway = false;
  clock.nowMs += 5000;
  expect((await keys.find("other")).outcome).toBe("unknown");
});

test("a source that becomes available after our start is read soon; queries for unknown keys do not speed this up", async () => {
  let isAway = true;
  let loads = 0;
  const load = async () => {
    loads += 1;
    if (isAway) throw new Error("away");
    return { keys: [jwk("one")] };
  };
  using fixture = source({ load });
  const { keys, errors } = fixture;
  const begun = performance.now();
  await poll("a few attempts", () => loads >= 3);
  const loadsBefore = loads;
  const lookups = await Promise.all(Array.from({ length: 500 }, (_, index) => keys.find(`guess ${index}`)));
  expect(new Set(lookups.map(({ outcome }) => outcome))).toEqual(new Set(["unavailable"]));
  expect(loads - loadsBefore).toBeLessThan(3);
  isAway = false;
  await poll("the keys", () => keys.held("one") !== undefined, 1000);
  // One at the start, and one after each pause of at least 50 ms.
  expect(loads).toBeLessThanOrEqual(2 + (performance.now() - begun) / 50);
  expect(errors).toHaveLength(1);
});

test("a source that hangs at first does not delay the next attempt for long", async () => {
  let loads = 0;
  const load = (signal: AbortSignal) => {
    loads += 1;
    if (loads > 1) return Promise.resolve({ keys: [jwk("one")] });
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
  };
  using fixture = source({ load, timeoutMs: 60_000 });
  await poll("the keys", () => fixture.keys.held("one") !== undefined, 5000);
  expect(loads).toBe(2);
});

test.each([
  {},
  null,
  [],
  { keys: {} },
  { keys: [] },
  { keys: [{ kty: "oct", k: "AAAA", kid: "x" }] },
  { keys: [null] },
])("%j is not a key set, and the previous one remains", async (value) => {
  using fixture = source({ load: async () => value });
  expect((await fixture.keys.find("x")).outcome).toBe("unavailable");
});

test("keys that cannot verify anything are ignored", async () => {
  const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ format: "jwk" });
  const load = async () => ({
    keys: [jwk("good"), { ...jwk("enc"), use: "enc" }, { ...weak, kid: "weak" }, { kty: "RSA", n: "!", kid: "bad" }],
  });
  using fixture = source({ load });
  expect((await fixture.keys.find("good")).outcome).toBe("found");
  for (const kid of ["enc", "weak", "bad"]) expect((await fixture.keys.find(kid)).outcome).toBe("unknown");
});
