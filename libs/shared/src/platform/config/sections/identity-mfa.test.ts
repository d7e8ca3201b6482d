import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

function problemsOf(notices: string): readonly string[] {
  const text = `identity: { mfa: { lost_phone: { enabled: true } }, notices: ${notices} }`;
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  return result.ok ? [] : result.problems.map(({ path }) => path).filter((path) => path.startsWith("identity."));
}

test("a lost-phone code must not be created without the user's knowledge", () => {
  expect(problemsOf("{ events: [new_device] }")).toEqual(["identity.notices.enabled", "identity.notices.events"]);
  expect(problemsOf("{ enabled: true }")).toEqual(["identity.notices.mail.server"]);
  expect(
    problemsOf("{ enabled: true, webhook: { url: 'http://127.0.0.1:9/', secret: a-secret-of-webhooks } }"),
  ).toEqual([]);
});
