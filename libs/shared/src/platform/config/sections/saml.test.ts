import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

function samlLoaded(more: string) {
  const text = `identity: { saml: { ${more} } }`;
  return loadConfig({ text, env: {}, readFile: (file) => `PEM of ${file}` });
}

test.each(["key_file: /run/k", "key: { file: /run/k }"])("the SAML key is read from a file by %s", (more) => {
  const loaded = samlLoaded(more);
  expect(loaded.ok ? loaded.config.identity.saml.key : loaded.problems).toBe("PEM of /run/k");
});

test("the SAML key is read by one of the two names", () => {
  const both = samlLoaded("key: a, key_file: /run/k");
  expect(both.ok ? [] : both.problems).toMatchObject([{ path: "identity.saml.key_file" }]);
});
