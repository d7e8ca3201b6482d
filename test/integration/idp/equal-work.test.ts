import { afterAll, beforeAll, expect, test } from "vitest";
import { type Attempt, type NamesStack, startNamesStack } from "../../support/names-stack.ts";

/** However slow a backend is, the time tells nothing about an account if the same requests are sent for all names. */

let site: NamesStack;
beforeAll(async () => {
  site = await startNamesStack();
});
afterAll(() => site[Symbol.asyncDispose]());

/** The requests that reach the server for each of the names; the first one opens connections and is not counted. */
async function expectEqualWork(
  names: readonly string[],
  attempt: Attempt,
  outcome: unknown,
): Promise<readonly string[]> {
  await attempt(names[0] ?? "");
  const requests: string[] = [];
  for (const name of names) {
    site.proxy.take();
    expect((await attempt(name)).outcome).toEqual(outcome);
    requests.push(site.proxy.take().toSorted().join(" "));
  }
  expect(requests).toEqual(requests.map(() => requests[0]));
  return requests;
}

const names = ["alice", "holder", "nobody"];

test("a wrong password causes the same requests for a known and an unknown name", async () => {
  const [requests] = await expectEqualWork(names, site.attempts.password, 403);
  expect(requests).toBe("bind search search");
});

test("so does a wrong app password", async () => {
  const [requests] = await expectEqualWork(names, site.attempts.appPassword, 403);
  expect(requests).toBe("search search search search");
});

test("so does a wrong password on the sign-in page", async () => {
  const [requests] = await expectEqualWork(names, site.attempts.page, true);
  expect(requests).toBe("bind search search");
});

test("an unknown passkey causes the same requests whatever its user handle", async () => {
  const handles = [...names, "alice@nowhere.example", "\u{1F511}", "x".repeat(64)];
  const [requests] = await expectEqualWork(handles, site.attempts.passkey, [400, "denied"]);
  // Each of the two searches is by name and by the id of the passkey.
  expect(requests).toBe("search search search search");
});

test("a wrong password at the JWT endpoint causes the same requests for a configured name", async () => {
  const [requests] = await expectEqualWork(["operator", ...names], site.attempts.jwt, 401);
  expect(requests).toBe("bind search search");
});
