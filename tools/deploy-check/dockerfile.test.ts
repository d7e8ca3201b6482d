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
    nodeVersion: textAt(manifest, "devDependencies", "node"),
  };

  test("the file follows every rule", () => {
    expect(facts.workspaces).toContain("libs/shared");
    expect(checkDockerfile(text, facts)).toEqual([]);
  });

  test.each<[string, (text: string) => string]>([
    ["does not copy services/idp/package.json", (text) => text.replace(/^COPY services\/idp.*\n/mu, "")],
    ["is based on Node", (text) => text.replace(facts.nodeVersion, "20.0.0")],
    ["pins its base", (text) => text.replace(/^ARG NODE_IMAGE=.*$/mu, "ARG NODE_IMAGE=node:latest")],
    ["numeric user", (text) => text.replace("USER 10001:10001", "USER node")],
    ["exec form", (text) => text.replace('ENTRYPOINT ["node"]', "ENTRYPOINT node")],
    ["SIGTERM", (text) => text.replace("STOPSIGNAL SIGTERM", "")],
    ["has no other base", (text) => text.replace("FROM manifests AS build", "FROM node:20 AS build")],
    ["without development packages", (text) => text.replace("npm ci --omit=dev", "npm ci")],
  ])("a planted fault is found: %s", (rule, damage) => {
    expect(damage(text)).not.toBe(text);
    expect(checkDockerfile(damage(text), facts).join("\n")).toContain(rule);
  });

  test("files that it copies are not excluded by .dockerignore", () => {
    const allowed = new Set(
      read(".dockerignore")
        .split("\n")
        .filter((line) => line.startsWith("!"))
        .map((line) => line.slice(1)),
    );
    const copied = [...text.matchAll(/^COPY ([a-z.][^\n]*)$/gmu)].flatMap(([, words = ""]) =>
      words.split(" ").slice(0, -1),
    );
    expect(copied.length).toBeGreaterThan(8);
    expect(copied.map((path) => path.split("/")[0]).filter((path) => !allowed.has(path ?? ""))).toEqual([]);
  });
});
