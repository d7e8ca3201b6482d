import { readFileSync } from "node:fs";
import type { Config, ConfigSources } from "@postern/shared/platform/config";
import { parse } from "yaml";
import { type Finding, findingsOf } from "./finding.ts";

type Step = string | number;

/** What the file says at a path, before variables and secret files are read. */
function writtenAt(tree: unknown, [step, ...rest]: readonly Step[]): unknown {
  if (step === undefined) return tree;
  return typeof tree === "object" && tree !== null ? writtenAt(Reflect.get(tree, step), rest) : undefined;
}

interface Credential {
  readonly name: string;
  /** Below `auth.backchannel`. */
  readonly path: readonly Step[];
}

function credentialsOf({ auth }: Config): readonly Credential[] {
  const { basic_auth: pair, callers } = auth.backchannel;
  return [
    ...(pair.enabled ? [{ name: pair.username, path: ["basic_auth", "password"] }] : []),
    ...callers.flatMap(({ name }, index) =>
      ["password", "next_password"].map((key) => ({ name, path: ["callers", index, key] })),
    ),
  ];
}

const keyOf = (path: readonly Step[]): string =>
  path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${step}`),
    "auth.backchannel",
  );

/** A password in the configuration itself, where everyone who edits or backs up the configuration sees it. */
export function judgeCallers(file: string, config: Config, sources: ConfigSources): readonly Finding[] {
  const tree: unknown = parse(readFileSync(file, "utf8"), { merge: true, logLevel: "error" });
  return credentialsOf(config).flatMap(({ name, path }) => {
    const key = keyOf(path);
    const written = writtenAt(tree, ["auth", "backchannel", ...path]);
    if (sources.get(key)?.kind !== "file" || typeof written !== "string" || written === "" || written.includes("${"))
      return [];
    const found = `${key} is in the configuration instead of its own file`;
    return [
      findingsOf(`caller ${name}`).warning(
        found,
        `write ${path.at(-1)}: { file: /etc/postern/secrets/caller_${name} }`,
      ),
    ];
  });
}
