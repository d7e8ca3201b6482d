import fc from "fast-check";
import { expect, test } from "vitest";
import { redirectKind } from "./redirect-uri.ts";

const hosts = (host: string): boolean => host === "mail.example.test";

test.each([
  ["http://127.0.0.1/callback", "loopback"],
  ["http://127.0.0.1:49152/callback?flow=1", "loopback"],
  ["http://127.0.0.1", "loopback"],
  ["http://[::1]:8080/", "loopback"],
  ["http://localhost/oauth", "loopback"],
  ["com.example.mail:/oauth", "private"],
  ["com.example.mail://oauth/callback", "private"],
  ["https://mail.example.test/claimed", "https"],
] as const)("%s is accepted: %s", (uri, kind) => {
  expect(redirectKind(uri, hosts)).toBe(kind);
});

test.each([
  "",
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  "java.script:alert(1)",
  "data:text/html,x",
  "data.x:text/html,x",
  "file:///etc/passwd",
  "vbscript:x",
  "mailto:a@example.test",
  "example:/callback",
  "Com.Example.Mail:/oauth",
  "com.example.mail:oauth",
  "https://elsewhere.example.test/",
  "https://mail.example.test.evil.test/",
  "https://mail.example.test@evil.test/",
  "https://mail.example.test:8443/",
  "https://MAIL.example.test/",
  "http://mail.example.test/",
  "http://127.0.0.1.evil.test/",
  "http://127.0.0.1@evil.test/",
  "http://127.0.0.1:80@evil.test/",
  "http://user:pass@127.0.0.1/",
  "http://127.0.0.2/",
  "http://2130706433/",
  "http://0x7f.0.0.1/",
  "http://127.1/",
  "http://127.0.0.1:0x50/",
  "http://127.0.0.1:99999/",
  "http://localhost.evil.test/",
  "http://[::ffff:127.0.0.1]/",
  "http://127.0.0.1\\@evil.test/",
  "http://127.0.0.1/a\\..\\b",
  "http://127.0.0.1/../admin",
  "http://127.0.0.1/%2e%2E/admin",
  "http://127.0.0.1/a/./b",
  "http://127.0.0.1/a%2f..%2fb",
  "http://127.0.0.1/callback#fragment",
  "http://127.0.0.1/*",
  "http://*/callback",
  "com.example.*:/oauth",
  "com.example.mail://user@host/",
  "com.example.mail:/../x",
  "com.example.mail:/x#y",
  " http://127.0.0.1/",
  "http://127.0.0.1/\n",
  "http://127.0.0.1/a b",
  "http://127.0.0.1/%0d%0aSet-Cookie:x",
  "http://127.0.0.1/%zz",
  "http://127.0.0.1/ü",
  `http://127.0.0.1/${"a".repeat(600)}`,
])("%j is refused", (uri) => {
  expect(redirectKind(uri, hosts)).toBeUndefined();
});

test("every accepted URI leads a browser to the host that it shows", () => {
  const schemes = ["http://", "https://", "com.example.mail:", "javascript:"];
  const hostNames = ["127.0.0.1", "[::1]", "localhost", "evil.test", "mail.example.test"];
  const tricks = ["/", "//", "@", ":", "#", "?", "\\", "..", "%2e", "%2f", "*", ":80", "a", "%00", "\t", "\u202e"];
  const pieces = [schemes, hostNames, tricks].flat();
  const piece = fc.constantFrom(...pieces);
  const uri = fc.oneof(
    fc.array(piece, { maxLength: 10 }).map((all) => all.join("")),
    fc.webUrl(),
    fc.string(),
  );
  fc.assert(
    fc.property(uri, (text) => {
      const kind = redirectKind(text, hosts);
      if (kind === undefined) return;
      const { protocol, hostname, username, password, hash } = new URL(text);
      expect([username, password, hash]).toEqual(["", "", ""]);
      expect(text).not.toMatch(/[\s\\*#]/u);
      if (kind === "loopback") expect(["127.0.0.1", "[::1]", "localhost"]).toContain(hostname);
      if (kind === "https") expect(hosts(hostname)).toBe(true);
      if (kind === "private") expect(protocol).toMatch(/^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/u);
    }),
    { numRuns: 2000 },
  );
});
