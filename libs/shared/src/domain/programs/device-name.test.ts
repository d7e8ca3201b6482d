import fc from "fast-check";
import { expect, test } from "vitest";
import { browserName, deviceName } from "./device-name.ts";

const webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36";

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox, Linux"],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/128.0.0.0`, "Edge, Windows"],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chrome}`, "Chrome, ChromeOS"],
  [`Mozilla/5.0 (Linux; Android 14; Pixel 8) ${chrome}`, "Chrome, Android"],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webKit} Version/17.5 Mobile/15E148 Safari/604.1`,
    "Safari, iPhone",
  ],
  [
    `Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) ${webKit} FxiOS/130.0 Mobile/15E148 Safari/605.1.15`,
    "Firefox, iPad",
  ],
  [
    "a program of unknown origin, with a name of more than forty characters",
    "a program of unknown origin, with a name",
  ],
  [`Mozilla/5.0 (Linux; Android 14; SM-S918B) SamsungBrowser/25.0 ${chrome}`, "Samsung Internet, Android"],
  ["", "?"],
])("%s is shown as %s", (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name);
});

test.each([
  ["Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0", "Firefox 128, Android"],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/129.0.0.0`, "Edge 129, Windows"],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${webKit} Version/17.5 Mobile/15E148 Safari/604.1`,
    "Safari 17, iPhone",
  ],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Safari/605.1.15`, "Safari, macOS"],
  ["Firefox/x Linux", "Firefox, Linux"],
  ["curl/8.9.1", "curl/8.9.1"],
])("operators see %s as %s", (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});

test("whatever a browser sends, the name is short and has no control characters that the header had not", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (userAgent) => {
      expect(browserName(userAgent).length).toBeLessThanOrEqual(40);
      expect(browserName(userAgent)).not.toBe("");
    }),
  );
});
