import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bundledPackages, packageOf } from "./bundled-packages.ts";
import { withDebianPackages } from "./debian-packages.ts";
import { sbomOf } from "./sbom.ts";

const folder = mkdtempSync(join(tmpdir(), "postern-sbom-"));
afterAll(() => rmSync(folder, { recursive: true }));

const one = {
  name: "@scope/one",
  version: "1.0.0",
  licence: "MIT",
  integrity: `sha512-${Buffer.from("0123456789").toString("base64")}`,
  places: ["bundle gateway", "node_modules"],
  dependsOn: ["node@26.0.0", "absent@1.0.0"],
};
const node = { ...one, name: "node", version: "26.0.0", licence: "see LICENSE", integrity: undefined, dependsOn: [] };
const input = {
  name: "postern",
  version: "1.0.0",
  packages: [one, node],
  node: "node",
  inNode: { node: "26.0.0", modules: "140", openssl: "3.9.1+quic" },
};

const serialOf = (text: string): string => JSON.parse(text).serialNumber;

test("the document lists each package with address, licence, hash and place", () => {
  const { components, dependencies, ...head } = JSON.parse(sbomOf(input));
  expect(head).toMatchObject({
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { purl: "pkg:npm/postern@1.0.0" } },
  });
  expect(components[0]).toEqual({
    type: "library",
    "bom-ref": "pkg:npm/%40scope/one@1.0.0",
    name: "@scope/one",
    version: "1.0.0",
    scope: "required",
    hashes: [{ alg: "SHA-512", content: Buffer.from("0123456789").toString("hex") }],
    licenses: [{ license: { id: "MIT" } }],
    purl: "pkg:npm/%40scope/one@1.0.0",
    properties: [
      { name: "postern:place", value: "bundle gateway" },
      { name: "postern:place", value: "node_modules" },
    ],
  });
  expect(components[1]).toMatchObject({ type: "platform", licenses: [{ license: { name: "see LICENSE" } }] });
  expect(dependencies).toEqual([
    { ref: "pkg:npm/postern@1.0.0", dependsOn: ["pkg:npm/%40scope/one@1.0.0", "pkg:npm/node@26.0.0"] },
    { ref: "pkg:npm/%40scope/one@1.0.0", dependsOn: ["pkg:npm/node@26.0.0"] },
    { ref: "pkg:npm/node@26.0.0", dependsOn: [] },
  ]);
});

test("a version that npm installed in two folders is listed once, with both places", () => {
  const nested = { ...one, places: ["bundle idp"], dependsOn: ["postern@1.0.0", "node@26.0.0"] };
  const { components, dependencies } = JSON.parse(sbomOf({ ...input, packages: [one, node, nested] }));
  expect(components).toHaveLength(2);
  expect(components[0].properties.map((place: { readonly value: string }) => place.value)).toEqual([
    "bundle gateway",
    "node_modules",
    "bundle idp",
  ]);
  const references = dependencies.map((entry: { readonly ref: string }) => entry.ref);
  expect(new Set(references).size).toBe(references.length);
});

test("libraries inside Node are parts of it", () => {
  const { components } = JSON.parse(sbomOf(input));
  expect(components[1].components.map((part: { readonly purl: string }) => part.purl)).toEqual([
    "pkg:generic/openssl@3.9.1%2Bquic",
  ]);
});

test("the same tree gives the same bytes, and another tree another serial number", () => {
  expect(sbomOf(input)).toBe(sbomOf(structuredClone(input)));
  const form = /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/u;
  expect(serialOf(sbomOf(input))).toMatch(form);
  expect(serialOf(sbomOf({ ...input, version: "1.0.1" }))).not.toBe(serialOf(sbomOf(input)));
});

test("the packages of Debian in an image are added with their addresses", () => {
  const text = withDebianPackages(sbomOf(input), "libc6 2.41-12 amd64\nbase-files 13+u1 amd64\n");
  const { components } = JSON.parse(text);
  expect(serialOf(text)).not.toBe(serialOf(sbomOf(input)));
  expect(components.slice(2).map((part: { readonly purl: string }) => part.purl)).toEqual([
    "pkg:deb/debian/base-files@13%2Bu1?arch=amd64",
    "pkg:deb/debian/libc6@2.41-12?arch=amd64",
  ]);
});

test.each([
  ["node_modules/pg/lib/index.js", "node_modules/pg"],
  ["node_modules/@node-rs/bcrypt/index.js", "node_modules/@node-rs/bcrypt"],
  ["node_modules/a/node_modules/@b/c/d/e.js", "node_modules/a/node_modules/@b/c"],
  ["services/idp/src/main.ts", undefined],
])("the package of %s is %s", (file, path) => {
  expect(packageOf(file)).toBe(path);
});

test("the packages of a bundle come from its source maps, and without maps there is no list", () => {
  mkdirSync(join(folder, "bundle/worker"), { recursive: true });
  writeFileSync(
    join(folder, "bundle/worker/w.js.map"),
    JSON.stringify({ sources: ["../../node_modules/pg/a.js", "../../node_modules/pg/b.js", "../../src/w.ts"] }),
  );
  expect(bundledPackages(folder, "bundle")).toEqual(["node_modules/pg"]);
  expect(() => bundledPackages(folder, "none")).toThrow("make build");
});
