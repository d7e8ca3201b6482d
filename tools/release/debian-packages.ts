import { serialNumber } from "./sbom.ts";

/** Adds the packages that `dpkg-query -W -f '${Package} ${Version} ${Architecture}\n'` lists to a CycloneDX document. */
export function withDebianPackages(sbom: string, listed: string): string {
  const document: { readonly components: readonly unknown[] } = JSON.parse(sbom);
  const packages = listed.split("\n").filter(Boolean).toSorted();
  const components = packages.map((line) => {
    const [name = "", version = "", architecture = ""] = line.split(" ");
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
    return { type: "library", "bom-ref": purl, name, version, purl };
  });
  const all = { ...document, components: [...document.components, ...components] };
  return `${JSON.stringify({ ...all, serialNumber: serialNumber(JSON.stringify(all)) }, undefined, 1)}\n`;
}
