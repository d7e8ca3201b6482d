import { join } from "node:path";
import { type Problem, readYaml } from "@postern/shared/platform/config";
import { stringify } from "yaml";
import type { SiteConfiguration } from "../init/site-configuration.ts";
import { changedMeanings } from "./changed-meanings.ts";
import { convertTree } from "./convert-tree.ts";
import type { ImportNote } from "./notes.ts";

export interface Imported {
  readonly site: SiteConfiguration;
  readonly notes: readonly ImportNote[];
  /** Why the text cannot be read; then the rest is empty. */
  readonly unreadable: readonly Problem[];
}

export interface ImportOptions {
  /** The file's name in messages. */
  readonly name: string;
  /** The folder of the result. */
  readonly folder: string;
}

const header = (name: string): string =>
  [
    `# Converted from ${JSON.stringify(name)} by \`postern config import\`.`,
    "# Every key: config/example.yaml and docs/reference/configuration.",
    "",
  ].join("\n");

/** Never throws for anything that a file can hold. */
export function importConfiguration(text: string, { name, folder }: ImportOptions): Imported {
  const unreadable: Problem[] = [];
  const written = readYaml(text, name, (path, reason) => unreadable.push({ path, reason }));
  const { tree, notes, secrets } = convertTree(written, (secret) => join(folder, "secrets", secret));
  const yaml = stringify(tree, { aliasDuplicateObjects: false, lineWidth: 0 });
  return {
    site: { text: `${header(name)}${yaml}`, secrets, files: new Map() },
    notes: [...notes, ...changedMeanings(tree)],
    unreadable,
  };
}
