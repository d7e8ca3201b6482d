import { expect, test } from "vitest";
import { provenanceOf } from "./provenance.ts";

const build = {
  kind: "debian-package",
  parameters: { target: "make package", version: "1.0.0-1" },
  commit: "a".repeat(40),
  lockSha256: "b".repeat(64),
  node: "26.0.0",
  artefacts: [{ name: "postern_1.0.0-1_amd64.deb", sha256: "c".repeat(64) }],
} as const;

test("the statement names each artefact, and what it was built from, in the terms of in-toto and SLSA", () => {
  const text = provenanceOf({ ...build, isModified: false });
  expect(text.trim()).not.toContain("\n");
  expect(JSON.parse(text)).toEqual({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: "postern_1.0.0-1_amd64.deb", digest: { sha256: "c".repeat(64) } }],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:postern:build:debian-package:1",
        externalParameters: build.parameters,
        internalParameters: { workingTree: "as committed" },
        resolvedDependencies: [
          { name: "source", uri: "git+file:postern", digest: { gitCommit: "a".repeat(40) } },
          { name: "package-lock.json", uri: "file:package-lock.json", digest: { sha256: "b".repeat(64) } },
          { name: "node", uri: "pkg:npm/node@26.0.0" },
        ],
      },
      runDetails: { builder: { id: "urn:postern:builder:make" } },
    },
  });
});

test("a build from changed files says so", () => {
  expect(provenanceOf({ ...build, isModified: true })).toContain('"workingTree":"modified"');
});
