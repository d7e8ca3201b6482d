import fc from "fast-check";
import { expect, test } from "vitest";
import { consoleLanguages } from "../../texts/console-languages.ts";
import { createPreferenceCookies } from "../console-cookies.ts";
import { zones } from "../house/times.ts";

const { zone: cookie, language } = createPreferenceCookies("https://console.example.test");

test("the chosen zone is read again, and only over TLS", () => {
  for (const zone of zones) expect(cookie.read(cookie.set(zone).split(";")[0])).toBe(zone);
  expect(cookie.set("Europe/Berlin")).toBe(
    "__Host-console_zone=Europe/Berlin; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict; Secure",
  );
  expect(cookie.set("")).toContain("Max-Age=0");
  expect(createPreferenceCookies("http://127.0.0.1:9081").zone.set("UTC")).not.toContain("Secure");
});

test("the chosen language is read again, and another one is none", () => {
  for (const { tag } of consoleLanguages) expect(language.read(language.set(tag).split(";")[0])).toBe(tag);
  expect(language.set("xx")).toContain("console_language=; Path=/; Max-Age=0");
  expect(language.read("__Host-console_language=xx")).toBeUndefined();
});

test("what is no zone is none", () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const found = cookie.read(`a=b; __Host-console_zone=${value}`);
      expect(found === undefined || zones.includes(found)).toBe(true);
    }),
  );
  expect(cookie.read(undefined)).toBeUndefined();
});
