import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBrowser } from "../../support/browser.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;

beforeAll(async () => {
  idp = await startIdpStack({}, { gateway: false });
});

afterAll(() => idp[Symbol.asyncDispose]());

const alice = "alice@example.test";
const password = "alice-demo-password";

test.each([
  ["NUL", `${alice}\0`],
  ["a C1 control character", `${alice}\u0085`],
  ["too many characters", "x".repeat(600)],
])("a user name with %s is denied and not shown again", async (_what, username) => {
  const browser = createBrowser(idp.replicas);
  const login = await browser.open("/mfa/register/home");
  const answer = await browser.submit(login, { username, password });
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('role="alert"')]);
  expect(answer.text).toContain('name="username" value=""');
  expect(browser.cookies.has("service_session")).toBe(false);
});

describe("characters that are not visible", () => {
  test.each([
    ["a TAB", `${alice}\t`],
    ["a zero-width space", `${alice}\u200B`],
    ["a byte order mark before it", `\uFEFF${alice}`],
  ])("are no part of a user name: %s", async (_what, username) => {
    const browser = createBrowser(idp.replicas);
    const answer = await browser.submit(await browser.open("/mfa/register/home"), { username, password });
    expect([answer.status, answer.location]).toEqual([302, "/mfa/register/home"]);
  });

  test.each(["\t", "\u200B", " "])("are part of a password", async (character) => {
    const browser = createBrowser(idp.replicas);
    const login = await browser.open("/mfa/register/home");
    const answer = await browser.submit(login, { username: alice, password: `${password}${character}` });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('role="alert"')]);
  });
});
