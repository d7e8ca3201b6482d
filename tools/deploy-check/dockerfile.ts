import { isPinned } from "./images.ts";
import { broken } from "./tree.ts";

export interface DockerfileFacts {
  /** Folders of the workspaces. */
  readonly workspaces: readonly string[];
  /** The version of package.json. */
  readonly version: string;
}

const builtFiles = "COPY --from=build /built /";

function lastStage(lines: readonly string[]): readonly string[] {
  return lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
}

/** Problems of our Dockerfile. Continued lines count as one. */
export function checkDockerfile(text: string, { workspaces, version }: DockerfileFacts): readonly string[] {
  const lines = text
    .replaceAll(/^\s*#.*$/gmu, "")
    .replaceAll(/\\\n/gu, " ")
    .split("\n")
    .map((line) => line.trim());
  const image = /^ARG BASE_IMAGE=(.+)$/mu.exec(text)?.[1] ?? "";
  const final = lastStage(lines);
  const has = (pattern: RegExp): boolean => final.some((line) => pattern.test(line));
  const missing = workspaces.filter((folder) => !lines.some((line) => line.startsWith(`COPY ${folder}/package.json `)));
  const froms = lines.filter((line) => line.startsWith("FROM "));
  return [
    ...missing.map((folder) => `Dockerfile: does not copy ${folder}/package.json`),
    ...broken("Dockerfile", [
      ["pins its base", isPinned(image)],
      ["has no other base", froms.every((line) => /^FROM \$\{(?:BASE|BUILD)_IMAGE\} AS /u.test(line))],
      ["builds on the same base by default", lines.includes(`ARG BUILD_IMAGE=\${BASE_IMAGE}`)],
      ["ends with a stage of its own", final[0]?.startsWith(`FROM \${BASE_IMAGE} `) === true],
      ["runs as a numeric user other than root", has(/^USER [1-9]\d*:[1-9]\d*$/u)],
      ["stops on SIGTERM", has(/^STOPSIGNAL SIGTERM$/u)],
      ["has an entry point in exec form", has(/^ENTRYPOINT \["node"\]$/u)],
      ["has a health check in exec form", has(/^HEALTHCHECK .*CMD \["node", /u)],
      [
        "has the version of package.json",
        has(new RegExp(`^ARG VERSION=${version.replaceAll(".", String.raw`\.`)}$`, "u")),
      ],
      [
        "copies only what tools/image-tree.ts wrote",
        final.filter((line) => line.startsWith("COPY")).join() === builtFiles,
      ],
    ]),
  ];
}
