import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { httpBackendSettings } from "./http-settings.ts";

function hopsHeaderOf(identifier: string, headers: object): string | undefined {
  const pool = { url: ["http://127.0.0.1:1/api/v1/auth/json"], headers };
  const text = JSON.stringify({
    runtime: { naming: { identifier } },
    auth: { backends: { order: ["http"], http: { default: pool } } },
  });
  const loaded = loadConfig({ text, env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return httpBackendSettings(loaded.config, "http")?.hopsHeader;
}

test("the list of engines travels under the name that this site reads, so that a request that comes back is recognised", () => {
  expect(hopsHeaderOf("nauthilus", {})).toBe("X-Nauthilus-Hops");
  expect(hopsHeaderOf("nauthilus", { hops: "X-Service-Hops" })).toBe("X-Service-Hops");
});
