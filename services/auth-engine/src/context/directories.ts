import type { Base } from "@postern/shared/assembly";
import type { PasswordVerifier } from "@postern/shared/passwords";
import { systemClock } from "@postern/shared/time";
import type { Directory } from "../directories/directory.ts";
import { createLdapDirectory } from "../directories/ldap/ldap-directory.ts";
import { createLuaDirectory } from "../directories/lua/lua-directory.ts";
import { measuredDirectory } from "../directories/measured.ts";
import type { EngineMetrics } from "../metrics.ts";
import type { DirectorySettings } from "../settings.ts";
import type { EngineScripts } from "./scripts.ts";
import { makeSqlDirectory } from "./sql.ts";

export type MakeDirectories = (settings: readonly DirectorySettings[]) => Promise<readonly Directory[]>;

interface DirectoryParts {
  readonly base: Base;
  readonly passwords: PasswordVerifier;
  readonly metrics: EngineMetrics;
  readonly scripts: EngineScripts;
}

async function makeDirectory(of: DirectorySettings, { base, passwords, scripts }: DirectoryParts): Promise<Directory> {
  switch (of.kind) {
    case "ldap":
      return createLdapDirectory(of.settings, { clock: systemClock, log: base.logger });
    case "sql":
      return makeSqlDirectory(of, { base, passwords });
    case "lua":
      return createLuaDirectory({ settings: of.settings, runner: scripts.decisions, passwords });
  }
}

export function directoryMaker(parts: DirectoryParts): MakeDirectories {
  const observe = ({ kind }: Directory, _operation: string, outcome: string, seconds: number): void =>
    parts.metrics.directoryAnswered(kind, outcome, seconds);
  return async (all) => {
    const made = await Promise.all(all.map((one) => makeDirectory(one, parts)));
    return made.map((directory) => measuredDirectory(directory, observe));
  };
}
