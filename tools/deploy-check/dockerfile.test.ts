import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { checkDockerfile } from "./dockerfile.ts";
import { listAt, textAt } from "./tree.ts";

const read = (path: string): string => readFileSync(join(import.meta.dirname, "../..", path), "utf8");

describe("Dockerfile", () => {
  const text = read("Dockerfile");
  const manifest: unknown = parse(read("package.json"));
  const facts = {
    workspaces: listAt(manifest, "workspaces").map(String),
    version: textAt(manifest, "version"),
  };

  test("the file follows every rule", () => {
    expect(facts.workspaces).toContain("libs/shared");
    expect(checkDockerfile(text, facts)).toEqual([]);
  });

  test.each<[string, (text: string) => string]>([
    ["does not copy services/idp/package.json", (text) => text.replace(/^COPY services\/idp.*\n/mu, "")],
    ["pins its base", (text) => text.replace(/^ARG BASE_IMAGE=.*$/mu, "ARG BASE_IMAGE=debian")],
    ["on the same base", (text) => text.replace("BUILD_IMAGE=${BASE_IMAGE}", "BUILD_IMAGE=node:20")],
    ["stage of its own", (text) => text.replace("FROM ${BASE_IMAGE} AS final", "FROM ${BUILD_IMAGE} AS final")],
    ["numeric user", (text) => text.replace("USER 10001:10001", "USER node")],
    ["exec form", (text) => text.replace('ENTRYPOINT ["node"]', "ENTRYPOINT node")],
    ["health check", (text) => text.replace(/^HEALTHCHECK.*$/mu, "")],
    ["SIGTERM", (text) => text.replace("STOPSIGNAL SIGTERM", "")],
    ["has no other base", (text) => text.replace("FROM ${BUILD_IMAGE} AS build", "FROM node:20 AS build")],
    ["version of package.json", (text) => text.replace(`VERSION=${facts.version}`, "VERSION=0.0.1")],
    ["only what tools/image-tree.ts wrote", (text) => text.replace("/built /", "/source /")],
  ])("a planted fault is found: %s", (rule, damage) => {
    expect(damage(text)).not.toBe(text);
    expect(checkDockerfile(damage(text), facts).join("\n")).toContain(rule);
  });
});
