import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startStack } from "../../support/stack.ts";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"));
const services = ["idp", "admin", "jobs-worker"] as const;

/** The counters and gauges of a page that have no sample. Histograms with labels begin with their first observation. */
function withoutSample(page: string): readonly string[] {
  const names = [...page.matchAll(/^# TYPE (service_\S+) (?:counter|gauge)$/gm)].map(([, name = ""]) => name);
  return names.filter((name) => !new RegExp(`^${name}[{ ]`, "m").test(page));
}

test("every counter and gauge of every service has a series before the first request, so that its first increase can be seen", async () => {
  await using stack = await startStack({
    shape: "five",
    redis: true,
    services: [...services],
    settings: {
      auth: { controls: { enabled: ["brute_force"] } },
      identity: { frontend: { enabled: true }, oidc: { enabled: true, issuer: "http://localhost:8080" } },
      runtime: { developer_mode: true },
    },
  });
  const pages = {
    gateway: await stack.gateway.metrics(),
    "auth-engine": await stack.engines[0]?.metrics(),
    ...Object.fromEntries(
      await Promise.all(services.map(async (name) => [name, await stack.services.get(name)?.metrics()] as const)),
    ),
  };
  for (const page of Object.values(pages)) {
    expect(page).toMatch(/^# TYPE service_\S+ counter$/m);
    expect(page).toContain(`service_build_info{version="${version}",revision="",node="${process.versions.node}"} 1\n`);
  }
  const missing = Object.entries(pages).map(([name, page = ""]) => [name, withoutSample(page)]);
  expect(Object.fromEntries(missing)).toEqual({
    gateway: [],
    "auth-engine": [],
    idp: [],
    admin: [],
    "jobs-worker": [],
  });
});
