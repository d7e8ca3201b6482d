import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const services = join(import.meta.dirname, "../../services");

/** Folders in a folder of a service that its README does not name in a table. */
function unnamedFolders(folder: string, readme: string): readonly string[] {
  return readdirSync(join(services, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !readme.includes(`\`${entry.name}/`))
    .map(({ name }) => name);
}

test.each(readdirSync(services))("the README of %s names each folder of its source", (service) => {
  const readme = readFileSync(join(services, service, "README.md"), "utf8");
  for (const folder of service === "idp" ? ["idp/src", "idp/src/oidc"] : [`${service}/src`]) {
    expect(unnamedFolders(folder, readme)).toEqual([]);
  }
});

test("a folder that a README does not name is reported", () => {
  expect(unnamedFolders("jobs-worker/src", "| `queues/` | a worker |")).toEqual(
    expect.arrayContaining(["flush-jobs", "user-notifications"]),
  );
});
