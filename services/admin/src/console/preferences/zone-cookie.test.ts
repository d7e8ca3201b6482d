import fc from "fast-check";
import { expect, test } from "vitest";
import { zones } from "../house/times.ts";
import { createZoneCookie } from "./zone-cookie.ts";

const cookie = createZoneCookie("https://console.example.test");

test("the chosen zone is read again, and only over TLS", () => {
  for (const zone of zones) expect(cookie.read(cookie.set(zone).split(";")[0])).toBe(zone);
  expect(cookie.set("Europe/Berlin")).toBe(
    "__Host-console_zone=Europe/Berlin; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict; Secure",
  );
  expect(cookie.set("")).toContain("Max-Age=0");
  expect(createZoneCookie("http://127.0.0.1:9081").set("UTC")).not.toContain("Secure");
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
