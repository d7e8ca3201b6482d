import { expect, test } from "vitest";
import { createConsoleCookies } from "./console-cookies.ts";

const value = "a".repeat(43);

test("the session's cookie is never sent across sites, the one of a sign-in with redirects only", () => {
  const cookies = createConsoleCookies("https://console.example.test");
  expect(cookies.set("session", value)).toBe(
    `__Host-console_session=${value}; Path=/; HttpOnly; SameSite=Strict; Secure`,
  );
  expect(cookies.set("signIn", "")).toBe("__Host-console_sign_in=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure");
});

test.each([
  [`other=1; __Host-console_session=${value}`, value],
  [`console_session=${value}`, undefined],
  [`__Host-console_session=${value}x`, undefined],
  [`x__Host-console_session=${value}`, undefined],
  [undefined, undefined],
])("of %s the session is %s", (header, expected) => {
  expect(createConsoleCookies("https://console.example.test").read(header, "session")).toBe(expected);
});
