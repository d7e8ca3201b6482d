import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mmdbFile, scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { createPlaces } from "./places.ts";

const berlin = { country: { iso_code: "DE" }, location: { latitude: 52.52, longitude: 13.4 } };
const lima = { country: { iso_code: "PE" }, location: { latitude: -12.05, longitude: -77.04 } };
const nowhere = { country: "", system: 0, location: undefined };

async function placesIn(folder: string) {
  const problems: string[] = [];
  const places = createPlaces({
    cityFile: join(folder, "city.mmdb"),
    systemFile: join(folder, "system.mmdb"),
    onRead: () => undefined,
    onProblem: (_file, error) => problems.push(String(error)),
  });
  await places.refresh();
  return { places, problems };
}

test("country, system and location in whole degrees; unknown addresses and IPv6 have no place", async () => {
  await using folder = await scratchFolder();
  writeFileSync(join(folder.path, "city.mmdb"), mmdbFile("City", { "192.0.2.0/24": berlin, "198.51.100.0/25": lima }));
  writeFileSync(
    join(folder.path, "system.mmdb"),
    mmdbFile("ASN", { "192.0.0.0/16": { autonomous_system_number: 64_500 } }),
  );
  const { places, problems } = await placesIn(folder.path);
  expect(places.of("192.0.2.9")).toEqual({
    country: "DE",
    system: 64_500,
    location: { latitude: 53, longitude: 13 },
  });
  expect(places.of("198.51.100.9")).toEqual({ country: "PE", system: 0, location: { latitude: -12, longitude: -77 } });
  expect(places.of("198.51.100.200")).toEqual(nowhere);
  expect(places.of("2001:db8::1")).toEqual(nowhere);
  expect(places.of("not an address")).toEqual(nowhere);
  expect(problems).toEqual([]);
});

test("a replaced file is read again, a broken one is reported and leaves the one before, an absent one is not an error", async () => {
  await using folder = await scratchFolder();
  const file = join(folder.path, "city.mmdb");
  const { places, problems } = await placesIn(folder.path);
  expect([places.of("192.0.2.9"), problems]).toEqual([nowhere, []]);
  writeFileSync(file, mmdbFile("City", { "192.0.2.0/24": berlin }));
  await places.refresh();
  expect(places.of("192.0.2.9").country).toBe("DE");
  writeFileSync(file, "not a file in this format");
  await places.refresh();
  expect(problems).toHaveLength(1);
  expect(places.of("192.0.2.9").country).toBe("DE");
  await places.refresh();
  expect(problems).toHaveLength(1);
  writeFileSync(file, mmdbFile("City", { "192.0.2.0/24": lima, "203.0.113.0/24": berlin }));
  await places.refresh();
  expect(places.of("192.0.2.9").country).toBe("PE");
  rmSync(file);
  await places.refresh();
  expect(places.of("192.0.2.9")).toEqual(nowhere);
});
