import { isPinned } from "./images.ts";
import { broken } from "./tree.ts";

export interface DockerfileFacts {
  /** Folders of the workspaces. */
  readonly workspaces: readonly string[];
  /** The Node version of package.json. */
  readonly nodeVersion: string;
}

function lastStage(lines: readonly string[]): readonly string[] {
  return lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
}

/** Problems of our Dockerfile. Continued lines count as one. */
export function checkDockerfile(text: string, { workspaces, nodeVersion }: DockerfileFacts): readonly string[] {
  const lines = text
    .replaceAll(/^\s*#.*$/gmu, "")
    .replaceAll(/\\\n/gu, " ")
    .split("\n")
    .map((line) => line.trim());
  const image = /^ARG NODE_IMAGE=(.+)$/mu.exec(text)?.[1] ?? "";
  const final = lastStage(lines);
  const has = (pattern: RegExp): boolean => final.some((line) => pattern.test(line));
  const missing = workspaces.filter((folder) => !lines.some((line) => line.startsWith(`COPY ${folder}/package.json `)));
  const froms = lines.filter((line) => line.startsWith("FROM "));
  return [
    ...missing.map((folder) => `Dockerfile: does not copy ${folder}/package.json`),
    ...broken("Dockerfile", [
      ["pins its base", isPinned(image)],
      [`is based on Node ${nodeVersion}`, image.startsWith(`node:${nodeVersion}-`)],
      ["has no other base", froms.every((line) => /^FROM (\$\{NODE_IMAGE\}|[a-z]+) AS /u.test(line))],
      ["ends with a stage of its own", final[0]?.startsWith(`FROM \${NODE_IMAGE} `) === true],
      ["runs as a numeric user other than root", has(/^USER [1-9]\d*:[1-9]\d*$/u)],
      ["stops on SIGTERM", has(/^STOPSIGNAL SIGTERM$/u)],
      ["has an entry point in exec form", has(/^ENTRYPOINT \["node"\]$/u)],
      ["copies no packages from the build stage", !has(/^COPY --from=build .*node_modules/u)],
      ["installs without development packages", lines.some((line) => line.startsWith("RUN npm ci --omit=dev"))],
    ]),
  ];
}
