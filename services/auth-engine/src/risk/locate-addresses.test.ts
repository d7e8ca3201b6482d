import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mmdbFile, scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { createLocateAddresses, createPlaces } from "./places.ts";

const owned = (autonomous_system_organization: string) => ({
  autonomous_system_number: 64_500,
  autonomous_system_organization,
});
const nothing = (): void => undefined;

test("countries, systems and owners in the order of the addresses; nothing that a file made up", async () => {
  await using folder = await scratchFolder();
  const [cityFile, systemFile] = [join(folder.path, "city.mmdb"), join(folder.path, "system.mmdb")];
  writeFileSync(
    cityFile,
    mmdbFile("City", {
      "192.0.2.0/24": { country: { iso_code: "DE" } },
      "198.51.100.0/24": { country: { iso_code: "<b" } },
    }),
  );
  writeFileSync(
    systemFile,
    mmdbFile("ASN", { "192.0.2.0/24": owned("Example Cable"), "198.51.100.0/24": owned(`${"x".repeat(100)}\n`) }),
  );
  const places = createPlaces({ cityFile, systemFile, onRead: nothing, onProblem: nothing });
  await places.refresh();
  const locate = createLocateAddresses(places);
  const { isConfigured, places: found } = await locate({
    addresses: ["203.0.113.1", "192.0.2.1", "198.51.100.1", "no address"],
  });
  expect(isConfigured).toBe(true);
  expect(found).toEqual([
    {},
    { country: "DE", system: 64_500, owner: "Example Cable" },
    { system: 64_500, owner: "x".repeat(64) },
    {},
  ]);
});

test("without files, or without brute-force protection, nothing is configured", async () => {
  const places = createPlaces({ cityFile: "", systemFile: "", onRead: nothing, onProblem: nothing });
  const off = { isConfigured: false, places: [] };
  expect(await createLocateAddresses(places)({ addresses: ["192.0.2.1"] })).toEqual(off);
  expect(await createLocateAddresses(undefined)({ addresses: ["192.0.2.1"] })).toEqual(off);
});
