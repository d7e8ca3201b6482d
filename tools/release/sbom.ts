import { createHash } from "node:crypto";

export interface SbomPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression, or other words of the package. */
  readonly licence: string | undefined;
  /** The sum of the package's archive, as in package-lock.json: `sha512-` and base64. */
  readonly integrity: string | undefined;
  /** Where the package is, such as `bundle gateway` or `node_modules`. */
  readonly places: readonly string[];
  readonly dependsOn: readonly string[];
}

export interface SbomInput {
  readonly name: string;
  readonly version: string;
  readonly packages: readonly SbomPackage[];
  /** Libraries inside Node's binary, by name. */
  readonly inNode: Readonly<Record<string, string>>;
  /** The name of Node's package among `packages`. */
  readonly node: string;
}

/** `pkg:npm/%40scope/name@1.0.0` */
function packageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${encodeURIComponent(version)}`;
}

function hashes(integrity: string | undefined) {
  const [, base64 = ""] = /^sha512-([A-Za-z0-9+/=]+)/u.exec(integrity ?? "") ?? [];
  return base64 === "" ? {} : { hashes: [{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }] };
}

/** One name of the SPDX list, as npm packages use it; anything else is written as words. */
const identifier =
  /^(?:0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|CC0-1\.0|ISC|MIT|MIT-0|MPL-2\.0|Unlicense|Python-2\.0)$/u;

function licences(licence: string | undefined) {
  if (licence === undefined) return {};
  return { licenses: [{ license: identifier.test(licence) ? { id: licence } : { name: licence } }] };
}

const isNodeLibrary = ([name]: readonly [string, string]): boolean =>
  !["node", "modules", "napi", "acorn", "amaro"].includes(name);

function component(of: SbomPackage, { node, inNode }: SbomInput) {
  const url = packageUrl(of.name, of.version);
  const libraries = Object.entries(of.name === node ? inNode : {}).filter(isNodeLibrary);
  return {
    type: of.name === node ? "platform" : "library",
    "bom-ref": url,
    name: of.name,
    version: of.version,
    scope: "required",
    ...hashes(of.integrity),
    ...licences(of.licence),
    purl: url,
    ...(libraries.length === 0
      ? {}
      : {
          components: libraries.map(([name, version]) => ({
            type: "library",
            "bom-ref": `${url}#${name}`,
            name,
            version,
            purl: `pkg:generic/${name}@${encodeURIComponent(version)}`,
          })),
        }),
    properties: of.places.map((place) => ({ name: "postern:place", value: place })),
  };
}

/** npm may install one version in several folders; the document lists it once. */
function merged(packages: readonly SbomPackage[]): readonly SbomPackage[] {
  const groups = Map.groupBy(packages, ({ name, version }) => `${name}@${version}`);
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map((first) => ({
      ...first,
      places: [...new Set(group.flatMap(({ places }) => places))],
      dependsOn: [...new Set(group.flatMap(({ dependsOn }) => dependsOn))],
    })),
  );
}

/** A number that only the content determines, in the form of a random UUID. */
export function serialNumber(content: string): string {
  const hex = createHash("sha256").update(content).digest("hex");
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The CycloneDX 1.6 document of a release. The same input gives the same bytes. */
export function sbomOf(input: SbomInput): string {
  const packages = merged(input.packages);
  const main = packageUrl(input.name, input.version);
  const references = new Map(packages.map(({ name, version }) => [`${name}@${version}`, packageUrl(name, version)]));
  const content = {
    metadata: {
      lifecycles: [{ phase: "build" }],
      component: {
        type: "application",
        "bom-ref": main,
        name: input.name,
        version: input.version,
        licenses: [{ license: { id: "Apache-2.0" } }],
        purl: main,
      },
    },
    components: packages.map((one) => component(one, input)),
    dependencies: [
      { ref: main, dependsOn: [...references.values()] },
      ...packages.map(({ name, version, dependsOn }) => ({
        ref: packageUrl(name, version),
        dependsOn: dependsOn.map((other) => references.get(other)).filter((other) => other !== undefined),
      })),
    ],
  };
  const head = { bomFormat: "CycloneDX", specVersion: "1.6", serialNumber: serialNumber(JSON.stringify(content)) };
  return `${JSON.stringify({ ...head, version: 1, ...content }, undefined, 1)}\n`;
}
