import fc from "fast-check";
import { expect, test } from "vitest";
import { acceptMailResources } from "./mail-profile.ts";

const client = `mail_${"a".repeat(22)}`;
const known = ["https://id.example.test", "imap.example.test", "smtp.example.test:465", "https://dav.example.test/api"];

function leftOf(resources: readonly string[], id = client): readonly string[] {
  const params = new URLSearchParams([["client_id", id], ...resources.map((name) => ["resource", name])]);
  acceptMailResources(params, known);
  return params.getAll("resource");
}

test.each([
  [["imap.example.test"]],
  [["IMAP.example.test"]],
  [["imap://imap.example.test"]],
  [["imaps://imap.example.test/"]],
  [["submissions://smtp.example.test:465"]],
  [["https://id.example.test/"]],
  [["HTTPS://dav.example.test:443/api"]],
  [["imap.example.test", "smtp.example.test:465", "https://id.example.test"]],
])("%j names services of the site", (resources) => {
  expect(leftOf(resources)).toEqual([]);
});

test.each([
  [["https://evil.example"]],
  [["imap.example.test", "https://evil.example"]],
  [["imap.example.test.evil.example"]],
  [["imap://user@imap.example.test"]],
  [["imap://imap.example.test#x"]],
  [["https://imap.example.test"]],
  [["https://dav.example.test/api/"]],
  [["https://dav.example.test/api?x"]],
  [[""]],
])("%j is left for the protocol core to refuse", (resources) => {
  expect(leftOf(resources)).toEqual(resources);
});

test("the request of a configured client keeps its resource", () => {
  expect(leftOf(["imap.example.test"], "demo-web")).toEqual(["imap.example.test"]);
});

test("no text is taken for a service that is not listed", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.domain()), (text) => {
      fc.pre(!text.toLowerCase().includes("example.test"));
      expect(leftOf([text])).toEqual([text]);
    }),
  );
});
